import type { FastifyReply, FastifyRequest } from 'fastify'
import { MB } from '../../base/units/units.ts'
import { ClientGone } from '../../calls/client-gone.ts'
import { offeredTools } from '../../endpoints/mcp/offered-tools.ts'
import type { Endpoint, EndpointAnswer, EndpointRequest, ToolKit } from '../../endpoints/mcp/offered-tool.ts'
import { ERROR_CODES, invalidRequest, McpProblem } from '../../translation/mcp/errors.ts'
import { type Incoming, readIncoming } from '../../translation/mcp/incoming.ts'
import { errorMessage, idOf, readMessage, resultMessage, type RpcRequest } from '../../translation/mcp/messages.ts'
import { metaOf, progressTokenOf } from '../../translation/mcp/meta.ts'
import { BATCHING_VERSION } from '../../translation/mcp/versions.ts'
import type { JsonBody } from '../../translation/json/parse-body.ts'
import { refusalOf } from '../auth.ts'
import { askLocally } from '../local/ask-locally.ts'
import { memoryLeaseOf } from '../memory-lease.ts'
import type { HttpServices, Route } from '../route.ts'
import { MCP_PATH } from '../edge/mcp-challenge.ts'
import { CallReply } from './call-reply.ts'
import { demandKnownOrigin } from './mcp-origin.ts'
import { answerRequest } from './our-server.ts'

/** Recordings and pictures are the longest. */
const MAX_ANSWER_BYTES = 64 * MB
const ACCEPTED = 202

type Context = { request: FastifyRequest; reply: FastifyReply; services: HttpServices; choice: string | undefined }

/** Answers a POST to our own MCP server, in the revision of its client. */
export async function serveMcp(context: Context): Promise<FastifyReply> {
  const { request, reply, services } = context
  demandKnownOrigin(request, services)
  const body = request.body as JsonBody
  let incoming: Incoming
  try {
    if (body.repeated) throw invalidRequest('An object of the message has a key twice.')
    incoming = readIncoming(request.headers, body.value)
  } catch (error) {
    return sendProblem(reply, error, body.value)
  }
  if ('batch' in incoming) return await answerBatch(incoming.batch, context)
  const { message } = incoming
  if (message.kind !== 'request') return reply.code(ACCEPTED).send()
  await answerOne({ ...incoming, message }, context)
  return reply
}

function sendProblem(reply: FastifyReply, error: unknown, message: unknown): FastifyReply {
  if (!(error instanceof McpProblem)) throw error
  return reply.code(error.status).send(errorMessage(idOf(message), error.error))
}

type One = Exclude<Incoming, { batch: unknown }> & { message: RpcRequest }

async function answerOne(one: One, context: Context): Promise<void> {
  const { message } = one
  const client = new CallReply({ ...context, progressToken: progressTokenOf(message.params) })
  const kit = kitFor(message, context, (text) => client.progress(text))
  try {
    const result = await answerRequest({ ...one, choice: context.choice, kit })
    client.end(resultMessage(message.id, result), 200)
  } catch (error) {
    if (kit.signal.aborted) return client.stop()
    const { status, error: shown } = asMcpProblem(error, context)
    client.end(errorMessage(message.id, shown), status)
  }
}

/** One after the other: a client that sends a list does not wait for a single answer in it. */
async function answerBatch(batch: readonly unknown[], context: Context): Promise<FastifyReply> {
  const answers: object[] = []
  for (const value of batch) {
    try {
      const message = readMessage(value)
      if (message.kind !== 'request') continue
      if (message.method === 'initialize') throw invalidRequest('The handshake is no part of a list.')
      const kit = kitFor(message, context, () => {})
      const result = await answerRequest({ version: BATCHING_VERSION, message, choice: context.choice, kit })
      answers.push(resultMessage(message.id, result))
    } catch (error) {
      if (context.request.callController?.signal.aborted) throw new ClientGone()
      answers.push(errorMessage(idOf(value), asMcpProblem(error, context).error))
    }
  }
  return answers.length === 0 ? context.reply.code(ACCEPTED).send() : context.reply.code(200).send(answers)
}

function asMcpProblem(error: unknown, { request, services }: Context): McpProblem {
  if (error instanceof McpProblem) return error
  services.log?.error({ request_id: request.id, err: error }, 'unexpected error')
  return new McpProblem(500, { code: ERROR_CODES.internalError, message: 'Internal error' })
}

function kitFor(message: RpcRequest, context: Context, progress: (text: string) => void): ToolKit {
  const { request, services } = context
  const { caller } = request
  request.callController ??= new AbortController()
  const { signal } = request.callController
  const { moreTools } = services.edge
  const own = offeredTools(caller, services.calls, (endpoint) => mayUse(endpoint, request, services))
  const tools =
    moreTools.length === 0 ? own : new Map([...own, ...moreTools.map((one) => [one.tool.name, one] as const)])
  const ask = (asked: EndpointRequest) => askEndpoint(asked, message, context, signal)
  return { caller, services: services.calls, signal, ask, progress, tools }
}

function mayUse(endpoint: Endpoint, { caller }: FastifyRequest, { routes, calls }: HttpServices): boolean {
  const route = routeOf(endpoint, routes)
  return route !== undefined && refusalOf(caller, route, calls) === undefined
}

function routeOf(endpoint: Endpoint, routes: readonly Route[]): Route | undefined {
  return routes.find(({ method, path }) => `${method} ${path}` === endpoint)
}

async function askEndpoint(
  { endpoint, parameters = {}, json, form }: EndpointRequest,
  { params }: RpcRequest,
  { request, services }: Context,
  signal: AbortSignal,
): Promise<EndpointAnswer> {
  const [method, path] = endpoint.split(' ') as ['GET' | 'POST', string]
  const body = form?.bytes ?? (json && Buffer.from(JSON.stringify(json)))
  const { traceparent } = metaOf(params)
  const headers = {
    accept: 'application/json',
    ...(body && { 'content-type': form?.type ?? 'application/json' }),
    ...(typeof traceparent === 'string' && TRACE.test(traceparent) && { traceparent }),
  }
  return await askLocally(
    {
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? '')),
      headers,
      body,
    },
    {
      opening: request.raw,
      server: request.server.server,
      signal,
      memory: memoryLeaseOf(request, services.calls),
      maxBytes: MAX_ANSWER_BYTES,
      resource: MCP_PATH,
    },
  )
}

/** The trace of a call of a tool, which clients write into `_meta` (W3C Trace Context). */
const TRACE = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
