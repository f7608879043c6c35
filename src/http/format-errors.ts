import type { FastifyReply, FastifyRequest } from 'fastify'
import { PROBLEMS } from '../contract/problems.ts'
import { errorBody as geminiError } from '../translation/formats/gemini/error-body.ts'
import { errorBody } from '../translation/formats/messages/error-body.ts'
import { ERROR_CODES } from '../translation/mcp/errors.ts'
import { errorMessage } from '../translation/mcp/messages.ts'
import { recordsIn } from '../base/schema/record.ts'
import type { JsonBody } from '../translation/json/parse-body.ts'

const MESSAGES_PATHS = /^\/v3\/(?:v1\/messages|claude\/(?!oauth\/))/
const OAUTH_PATHS = /^\/v3\/(?:claude\/oauth\/|mcp\/oauth\/(?:register|revoke|token)(?:[/?]|$))/
const GEMINI_PATHS = /^\/(?:v3\/(?:upload\/)?v1beta|uploads)\//
const MCP_PATHS = /^\/v3\/mcp(?!\/oauth\/)(?:[/?]|$)/
const COHERE_PATHS = /^\/v3\/v2\//
const CHAT_PATH = /^\/v3\/chat\/completions(\?|$)/
const BAD_REQUEST = 400
const UNPROCESSABLE = 422
const INTERNAL = 500
const ELSEWHERE = 'This body is in the responses format. Send it to POST /v3/responses, or send `messages`.'

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
  // What is at no route has no format.
  if (request.routeOptions.config.route && OAUTH_PATHS.test(request.url)) return oauthError(reply.statusCode, body)
  if (GEMINI_PATHS.test(request.url)) {
    const seconds = Number(reply.getHeader('retry-after') ?? Number.NaN)
    const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
    return geminiError(reply.statusCode, { ...body.error, detail: body.detail, retryAfterSeconds })
  }
  if (MESSAGES_PATHS.test(request.url) || request.headers['anthropic-version'] !== undefined) {
    reply.header('request-id', request.id)
    // A budget that is spent stays an error of the bill, also where its status is another one.
    const status = body.error.code === 'budget_exhausted' ? PROBLEMS.budget_exhausted.status : reply.statusCode
    const made = errorBody(status, body.error, request.id)
    return { ...body, ...made, error: { ...body.error, ...made.error } }
  }
  if (request.routeOptions.config.route && MCP_PATHS.test(request.url)) return mcpError(body, reply)
  if (COHERE_PATHS.test(request.url)) return { ...body, message: body.error.message }
  const isElsewhere = reply.statusCode === UNPROCESSABLE && CHAT_PATH.test(request.url) && isResponsesBody(request)
  return isElsewhere ? { ...body, error: { ...body.error, message: ELSEWHERE, param: 'input' } } : body
}

/** What was refused before its message was read has no id. A body that is not JSON has an error and a status of its own. */
function mcpError(body: Shaped & { jsonrpc?: unknown }, reply: FastifyReply): object {
  if (body.jsonrpc !== undefined) return body
  const isNotJson = recordsIn(body.detail).some(({ type }) => type === 'json_invalid')
  if (isNotJson) reply.code(BAD_REQUEST)
  const code = isNotJson
    ? ERROR_CODES.parseError
    : reply.statusCode >= INTERNAL
      ? ERROR_CODES.internalError
      : ERROR_CODES.invalidRequest
  const { message, ...data } = body.error
  return errorMessage(undefined, { code, message, data: { ...data, detail: body.detail } })
}

/** Errors of OAuth are one word, and a sentence beside it (RFC 6749). An answer of a handler has this shape already. */
function oauthError(status: number, body: { error: string | Shaped['error'] }): object {
  const { error } = body
  if (typeof error === 'string') return body
  const words: Record<number, string> = { 429: 'slow_down', 503: 'temporarily_unavailable' }
  const word = words[status] ?? (status >= 500 ? 'server_error' : 'invalid_request')
  return { error: word, error_description: error.message }
}

/** Some editors send this body to any address that they are configured with. */
function isResponsesBody({ body }: FastifyRequest): boolean {
  const value = (body as JsonBody | undefined)?.value
  return typeof value === 'object' && value !== null && 'input' in value && !('messages' in value)
}
