import type { AttemptTarget } from '../attempts/failures.ts'
import type { Call } from '../call.ts'
import type { ServerTool } from '../mcp/server-tools.ts'
import type { CallServices } from '../services/call-services.ts'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'
import { paramHeaders } from '../../translation/mcp/param-headers.ts'
import { RESULT_TYPE } from '../../translation/mcp/tasks.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { askTool, providerOfTool } from './ask-tool.ts'

const OK = 200

type McpCall = { server: McpServer; tool: Pick<ServerTool, 'name' | 'mirrored'>; input: Fields }

/** Calls a tool of an MCP server, and returns its result as the server wrote it. */
export async function callMcpTool(
  { server, tool, input }: McpCall,
  call: Call,
  services: CallServices,
): Promise<Fields> {
  const { name } = tool
  const target = targetOf(server, name)
  if (call.caller.kind === 'sandbox') return simulated(target, call)
  const called = { target, price: server.pricePerCall, before: () => call.beforeToolCall?.(target.id) }
  const asking = { owner: call.caller.owner, signal: call.signal, mirrored: paramHeaders(tool.mirrored, input) }
  const ask = async (report: { status: number | null }) => {
    const result = await services.mcp.client.request(server, 'tools/call', { name, arguments: input }, asking)
    report.status = OK
    const { inputRequired, task } = RESULT_TYPE
    if (result.resultType === inputRequired || result.resultType === task)
      throw new UpstreamProblem('unreadable', 'the tool wants something of its user that the gateway cannot pass on')
    return result
  }
  return await askTool(called, ask, call, services)
}

/** A sandbox key reaches nothing real. */
function simulated(target: AttemptTarget, { record }: Call): Fields {
  record.asks(target)
  return {
    content: [{ type: 'text', text: `Simulated: ${target.id} was not called, because the key is one of the sandbox.` }],
  }
}

const providers = new WeakMap<McpServer, Provider>()

function targetOf(server: McpServer, tool: string): AttemptTarget {
  const id = `mcp/${server.name}`
  const provider = providers.get(server) ?? providerOf(server, id)
  providers.set(server, provider)
  return { id: `${id}/${tool}`, provider, circuit: id }
}

function providerOf({ name, url, auth }: McpServer, id: string): Provider {
  return providerOfTool(id, `the MCP server ${name}`, url, auth?.secret.replace(/^Bearer /, ''))
}

/** What a model is told of a result: its text, or else what is in it. */
export function textOfResult({ content, structuredContent }: Fields): string {
  const texts = recordsIn(content).map(textOfBlock).filter(Boolean)
  if (texts.length > 0) return texts.join('\n')
  return structuredContent === undefined ? '' : writeJson(structuredContent)
}

function textOfBlock({ type, text, data, mimeType, uri, name, resource }: Fields): string {
  if (type === 'text') return textOf(text)
  if (type === 'resource_link') return `${textOf(name)}: ${textOf(uri)}`
  if (type === 'resource') {
    const { uri: address, text: contents, mimeType: kind } = recordOf(resource)
    return textOf(contents) || `[${textOf(kind) || 'a resource'} at ${textOf(address)}, which is not shown]`
  }
  return `[${textOf(mimeType) || textOf(type)}, ${Math.floor((textOf(data).length * 3) / 4)} bytes, which are not shown]`
}
