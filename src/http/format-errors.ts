import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorBody as geminiError } from '../translation/formats/gemini/error-body.ts'
import { errorBody } from '../translation/formats/messages/error-body.ts'
import type { JsonBody } from '../translation/json/parse-body.ts'

const MESSAGES_PATHS = /^\/v3\/v1\/messages/
const GEMINI_PATHS = /^\/(?:v3\/(?:upload\/)?v1beta|uploads)\//
const COHERE_PATHS = /^\/v3\/v2\//
const CHAT_PATH = /^\/v3\/chat\/completions(\?|$)/
const UNPROCESSABLE = 422
const ELSEWHERE = 'This body is in the responses format: send it to POST /v3/responses, or send `messages`.'

type Done = (error: Error | null, payload: unknown) => void
type Body = { error?: { message: string; code?: string; param?: string | null }; detail?: unknown }

/** Converts errors to the client's format, wherever they were found. Other answers pass unchanged. */
export function shapeErrors(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { statusCode } = reply
  const isShaped = statusCode >= 400 && (payload as Body | null)?.error
  done(null, isShaped ? shaped(payload as Shaped, request, reply) : payload)
}

type Shaped = Body & { error: NonNullable<Body['error']> }

function shaped(body: Shaped, request: FastifyRequest, reply: FastifyReply): object {
  if (GEMINI_PATHS.test(request.url)) {
    const seconds = Number(reply.getHeader('retry-after') ?? Number.NaN)
    const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
    return geminiError(reply.statusCode, { ...body.error, detail: body.detail, retryAfterSeconds })
  }
  if (MESSAGES_PATHS.test(request.url) || request.headers['anthropic-version'] !== undefined) {
    reply.header('request-id', request.id)
    const made = errorBody(reply.statusCode, body.error, request.id)
    return { ...body, ...made, error: { ...body.error, ...made.error } }
  }
  if (COHERE_PATHS.test(request.url)) return { ...body, message: body.error.message }
  const isElsewhere = reply.statusCode === UNPROCESSABLE && CHAT_PATH.test(request.url) && isResponsesBody(request)
  return isElsewhere ? { ...body, error: { ...body.error, message: ELSEWHERE, param: 'input' } } : body
}

/** Some editors send this body to any address that they are configured with. */
function isResponsesBody({ body }: FastifyRequest): boolean {
  const value = (body as JsonBody | undefined)?.value
  return typeof value === 'object' && value !== null && 'input' in value && !('messages' in value)
}
