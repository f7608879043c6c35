import type { Send, SendOptions, WireRequest, WireResponse } from '../wire/wire.ts'
import { readChatRequest, readJsonBody } from './chat-request.ts'
import { chunks } from './chunks.ts'
import { completion } from './completion.ts'
import { imageReply, isImageRequest } from './image.ts'
import { REHEARSALS } from './rehearsals.ts'
import { type Reply, replyTo } from './reply-to.ts'
import { UpstreamError } from './upstream-error.ts'
import { bytesOf, eventResponse, finishedEventTexts, jsonResponse } from './wire-response.ts'
import { LARGE_CHARS } from '../json/large-text.ts'

/** `now` is in milliseconds. `ownTurn` lets other requests run between the steps of a long one. */
type SandboxOptions = { now: () => number; loopSlot?: (owner: string) => Promise<void> }

/** A simulated provider with OpenAI's wire format. Its answers depend only on the request and the time. */
export function createSandbox({ now, loopSlot = async () => {} }: SandboxOptions): Send {
  const stepOf =
    ({ body }: WireRequest, { owner }: SendOptions): Step =>
    () =>
      typeof body === 'string' && body.length > LARGE_CHARS ? loopSlot(owner) : undefined
  return async (request, options) => {
    options.signal.throwIfAborted()
    try {
      return await respond(request, options, Math.floor(now() / 1000), stepOf(request, options))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return jsonResponse(error.status, error.body, options.signal, error.headers)
    }
  }
}

type Step = () => Promise<void> | undefined

async function respond(request: WireRequest, options: SendOptions, created: number, step: Step): Promise<WireResponse> {
  if (isImageRequest(request)) return await imageReply(request, options, created)
  await step()
  const body = readJsonBody(request)
  await step()
  const chat = readChatRequest(body)
  await step()
  const reply = replyTo(chat, created)
  await step()
  const rehearsal = REHEARSALS.get(reply.model) ?? echo
  return rehearsal(reply, options)
}

function echo(reply: Reply, { signal }: SendOptions): WireResponse {
  if (!reply.stream) return jsonResponse(200, completion(reply), signal)
  return eventResponse(bytesOf(finishedEventTexts(chunks(reply)), signal))
}
