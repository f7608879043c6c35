import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorBody } from '../formats/messages/error-body.ts'
import type { JsonBody } from '../json/parse-body.ts'

const MESSAGES_PATHS = /^\/v3\/v1\//
const CHAT_PATH = /^\/v3\/chat\/completions(\?|$)/
const UNAUTHENTICATED = 401
const ELSEWHERE = 'This body is in the responses format: send it to POST /v3/responses, or send `messages`.'

type Done = (error: Error | null, payload: unknown) => void
type Body = { error?: { message: string; code?: string; param?: string | null } }

/** Errors as clients of a format expect them, wherever they were found. Only errors are looked at. */
export function shapeErrors(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { statusCode } = reply
  const isShaped = statusCode >= 400 && statusCode !== UNAUTHENTICATED && (payload as Body | null)?.error
  done(null, isShaped ? shaped(payload as Required<Body>, request, reply) : payload)
}

/** Who has no key gets the same bytes everywhere; that answer has all that clients of any format read. */
function shaped(body: Required<Body>, request: FastifyRequest, reply: FastifyReply): object {
  if (MESSAGES_PATHS.test(request.url)) {
    reply.header('request-id', request.id)
    return { ...body, ...errorBody(reply.statusCode, body.error, request.id) }
  }
  const isElsewhere = reply.statusCode === 422 && CHAT_PATH.test(request.url) && isResponsesBody(request)
  return isElsewhere ? { ...body, error: { ...body.error, message: ELSEWHERE, param: 'input' } } : body
}

/** Some editors send it to whatever address they were given. */
function isResponsesBody({ body }: FastifyRequest): boolean {
  const value = (body as JsonBody | undefined)?.value
  return typeof value === 'object' && value !== null && 'input' in value && !('messages' in value)
}
