import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Fields, isRecord, recordOf, textOf } from '../../base/schema/record.ts'
import { isFailure } from '../../calls/attempts/failures.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import { type ContentDraft, keepAnswer, keepGuarded } from '../../calls/content-draft.ts'
import { serverFor } from '../../calls/mcp/mcp-servers.ts'
import type { ServerTool } from '../../calls/mcp/server-tools.ts'
import { guardsOf } from '../../calls/guardrails/guarded-body.ts'
import { guardedResult } from '../../calls/guardrails/guarded-result.ts'
import type { Guards } from '../../calls/guardrails/guards.ts'
import { callMcpTool } from '../../calls/upstream/mcp-tool.ts'
import { Problem, problem } from '../../contract/problems.ts'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import { packageVersion } from '../../platform/version.ts'
import type { JsonBody } from '../../translation/json/parse-body.ts'
import { ERROR_CODES, invalidParams, invalidRequest, McpProblem, methodNotFound } from '../../translation/mcp/errors.ts'
import { type Incoming, readIncoming } from '../../translation/mcp/incoming.ts'
import { errorMessage, idOf, requestMessage, resultMessage, type RpcRequest } from '../../translation/mcp/messages.ts'
import { META, progressTokenOf } from '../../translation/mcp/meta.ts'
import { resultFor } from '../../translation/mcp/results.ts'
import { textResult, type Tool } from '../../translation/mcp/tools.ts'
import {
  agreedVersion,
  MODERN_VERSION,
  type ProtocolVersion,
  SUPPORTED_VERSIONS,
} from '../../translation/mcp/versions.ts'
import { closeReply, openReply } from '../open-reply.ts'
import type { HttpServices } from '../route.ts'
import { CallReply } from './call-reply.ts'
import { demandKnownOrigin } from './mcp-origin.ts'

const ACCEPTED = 202
/** Lists depend on the key, and change when the server's do. */
const LIST_CACHE = { ttlMs: 60_000, cacheScope: 'private' as const }

type Context = { request: FastifyRequest; reply: FastifyReply; services: HttpServices; name: string }
type Relayed = { server: McpServer; version: ProtocolVersion; message: RpcRequest; context: Context }

/**
 * Answers a POST to a server behind the gateway. The client speaks with the gateway, and the gateway with the server, each in its own
 * revision: nothing that the client sends reaches the server but the names and arguments of tools that it may use.
 */
export async function relayMcp(context: Context): Promise<void> {
  const { request, reply, services, name } = context
  demandKnownOrigin(request, services)
  const server = serverFor(name, request.caller, services.calls.mcp)
  if (!server) throw problem('not_found', { message: 'There is no such MCP server.' })
  const body = request.body as JsonBody
  try {
    if (body.repeated) throw invalidRequest('An object of the message has a key twice.')
    const incoming = readIncoming(request.headers, body.value)
    if ('batch' in incoming) throw invalidRequest('A server behind the gateway takes one message at a time.')
    await answer(incoming, server, context)
  } catch (error) {
    if (!(error instanceof McpProblem)) throw error
    reply.code(error.status).send(errorMessage(idOf(body.value), error.error))
  }
}

async function answer(
  incoming: Exclude<Incoming, { batch: unknown }>,
  server: McpServer,
  context: Context,
): Promise<void> {
  const { message, version } = incoming
  if (message.kind !== 'request') return void context.reply.code(ACCEPTED).send()
  const client = new CallReply({ ...context, progressToken: progressTokenOf(message.params) })
  try {
    client.end(resultMessage(message.id, await resultOf({ server, version, message, context })), 200)
  } catch (error) {
    if (context.request.callController?.signal.aborted) return client.stop()
    if (!(error instanceof McpProblem))
      context.services.log?.error({ request_id: context.request.id, err: error }, 'unexpected error')
    const shown = error instanceof McpProblem ? error : new McpProblem(500, INTERNAL)
    client.end(errorMessage(message.id, shown.error), shown.status)
  }
}

const INTERNAL = { code: ERROR_CODES.internalError, message: 'Internal error' }

async function resultOf(relayed: Relayed): Promise<object> {
  const { server, version, message } = relayed
  const isModern = version === MODERN_VERSION
  const info = { name: server.name, version: packageVersion() }
  switch (message.method) {
    case 'tools/list':
      return resultFor(version, info, { tools: (await toolsOf(relayed)).map(shownTool) }, { cache: LIST_CACHE })
    case 'tools/call':
      return resultFor(version, info, await callTool(relayed))
    case 'server/discover': {
      if (!isModern) break
      const offered = { supportedVersions: SUPPORTED_VERSIONS, capabilities: { tools: {} } }
      return resultFor(version, info, offered, { cache: LIST_CACHE })
    }
    case 'initialize':
      if (isModern) break
      return {
        protocolVersion: agreedVersion(message.params.protocolVersion),
        capabilities: { tools: {} },
        serverInfo: info,
      }
    case 'ping':
      if (isModern) break
      return {}
  }
  throw methodNotFound(message.method, isModern ? 404 : 200)
}

async function toolsOf({ server, context: { request, services } }: Relayed) {
  request.callController ??= new AbortController()
  try {
    return await services.calls.mcp.tools.of(server, request.callController.signal)
  } catch (error) {
    throw asMcpProblem(error)
  }
}

/** Which headers the server wants is between the gateway and the server. */
function shownTool({ mirrored: _, ...tool }: ServerTool): Tool {
  return tool
}

/** A tool that the caller may not use is unknown, as it is not in the list either. */
async function callTool(relayed: Relayed): Promise<Fields> {
  const { server, message, context } = relayed
  const { name, arguments: input = {} } = message.params
  const tool = (await toolsOf(relayed)).find((one) => one.name === name)
  if (!tool) throw invalidParams(`Unknown tool: ${textOf(name).slice(0, 128)}`, 200)
  if (!isRecord(input)) throw invalidParams('The arguments of a tool are an object.', 200)
  const { request, reply, services } = context
  const open = openReply(request, reply, services, 'mcp')
  try {
    const call = async () => {
      const guards = guardsOf(open.call, ANY_MODEL, services.calls)
      const { content } = open.call.record
      const ask = (sent: Fields) => callMcpTool({ server, tool, input: sent }, open.call, services.calls)
      const result = guards ? await guardedCall(message, input, ask, { guards, content }) : await ask(input)
      if (content) keepAnswer(content, result)
      return result
    }
    return withoutProtocol(await runParts(call, open.call, services.calls))
  } catch (error) {
    // What the server, or a limit, refuses is told to the model, which may call the tool differently.
    if (error instanceof Problem && !open.call.signal.aborted)
      return { ...textResult(error.message, true), _meta: { status: error.status, code: error.code } }
    throw asMcpProblem(error)
  } finally {
    closeReply(open)
  }
}

type Guarding = { guards: Guards; content: ContentDraft | undefined }

/** What the server gets, what the caller gets of it, and what is kept of the request is what guardrails leave. */
async function guardedCall(
  { id, method, params }: RpcRequest,
  input: Fields,
  ask: (sent: Fields) => Promise<Fields>,
  { guards, content }: Guarding,
): Promise<Fields> {
  const sent = await keepGuarded(
    content,
    () => guards.json(input, 'tool_arguments'),
    (left) => (left === input ? undefined : requestMessage(id, method, { name: params.name, arguments: left })),
  )
  const made = await ask(recordOf(sent)).catch(async (error) => {
    throw await guardedFailure(error, guards)
  })
  return await guardedResult(made, guards)
}

/** The words of the server may be in it. */
async function guardedFailure(error: unknown, guards: Guards): Promise<unknown> {
  if (!(error instanceof Problem)) return error
  const { message } = recordOf(await guards.json({ message: error.message }, 'tool_results'))
  return error.with({ message: textOf(message) })
}

/** Guardrails of some models hold: what a tool says may go to any. */
const ANY_MODEL = () => undefined

/** What the server says about its own revision is no part of an answer in the revision of the client. */
function withoutProtocol({ resultType: _, _meta, ...result }: Fields): Fields {
  if (!isRecord(_meta)) return result
  const { [META.serverInfo]: __, ...meta } = _meta
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result
}

/** What the server or the way to it has to say, as an error of the protocol, which clients show. Other errors are our own. */
function asMcpProblem(error: unknown): unknown {
  if (!(error instanceof Problem) && !isFailure(error)) return error
  return new McpProblem(200, { code: ERROR_CODES.internalError, message: error.message })
}
