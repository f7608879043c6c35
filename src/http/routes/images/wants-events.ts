import type { FastifyRequest } from 'fastify'
import type { ImageGenerationRequest } from '../../../contract/images.ts'

export const STREAMING =
  'With `stream: true` the answer comes as events if the request is made in OpenAI’s way: by one of its SDKs, through ' +
  '`/v1/…`, with `partial_images`, or with `Accept: text/event-stream`. Otherwise it comes whole.'

const EVENTS = /\btext\/event-stream\b/i
/** The SDKs accept JSON, also for events: only their names tell them. Those in browsers cannot set the second. */
const SDK_HEADER = 'x-stainless-lang'
const SDK_AGENT = /^(?:Async)?(?:Azure)?OpenAI\//i

/** A reader of events finds none in JSON, and takes a paid answer for an empty one. */
export function wantsEvents(request: FastifyRequest, { stream, partial_images }: ImageGenerationRequest): boolean {
  if (stream !== true) return false
  const { accept = '', 'user-agent': agent = '', [SDK_HEADER]: sdk } = request.headers
  const isOtherPath = request.originalUrl !== request.url
  return isOtherPath || partial_images != null || sdk !== undefined || EVENTS.test(accept) || SDK_AGENT.test(agent)
}
