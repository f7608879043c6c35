import { isFailure } from '../../calls/attempts/failures.ts'
import type { Call } from '../../calls/call.ts'
import { serverFor } from '../../calls/mcp/mcp-servers.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { callMcpTool, textOfResult } from '../../calls/upstream/mcp-tool.ts'
import { problem } from '../../contract/problems.ts'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import { type Fields, textOf } from '../../base/schema/record.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { mcpFunctionName } from '../../translation/formats/gateway/function-name.ts'
import type { McpWish, ToolFacts } from '../../translation/formats/gateway/wishes.ts'
import type { ServerTool } from '../../calls/mcp/server-tools.ts'
import type { GatewayTool } from './gateway-tool.ts'

/** The tools of one server, and their list as the responses format shows it. */
type OfServer = { tools: GatewayTool[]; list: Fields }

/** The tools of the servers that a request names. Only servers of the operator are used, with the operator's credentials. */
export async function mcpTools(wishes: readonly McpWish[], call: Call, services: CallServices): Promise<OfServer[]> {
  const named = wishes.map((wish) => ({ wish, server: serverOf(wish, call, services) }))
  return await Promise.all(named.map(({ wish, server }) => toolsOf(server, wish, call, services)))
}

function serverOf(wish: McpWish, { caller, record }: Call, { mcp }: CallServices): McpServer {
  const { label, url, hasCredential } = wish
  const server = serverFor(label, caller, mcp)
  if (!server) throw cannotTake(['tools'], `there is no MCP server "${label.slice(0, 100)}" here that this key may use`)
  if (url !== undefined && !isSame(url, server.url))
    throw cannotTake(['tools'], `"${label}" is a server of this gateway, and has another address: leave out server_url`)
  if (hasCredential) record.noteRequest([{ field: 'tools.authorization', action: 'dropped', reason: OWN_CREDENTIAL }])
  return server
}

const OWN_CREDENTIAL = 'the gateway uses the credential of its operator for this server'

function isSame(one: string, other: string): boolean {
  return URL.parse(one)?.href === URL.parse(other)?.href
}

async function toolsOf(server: McpServer, wish: McpWish, call: Call, services: CallServices): Promise<OfServer> {
  const listed = (await listOf(server, call, services)).filter((tool) => wish.allows(factsOf(tool)))
  const tools = listed.map((tool) => toGatewayTool(tool, server, wish, services))
  return { tools, list: { type: 'mcp_tools', server: server.name, tools: listed.map(shownTool) } }
}

async function listOf(server: McpServer, call: Call, services: CallServices): Promise<readonly ServerTool[]> {
  try {
    return await services.mcp.tools.of(server, call.signal)
  } catch (error) {
    if (!isFailure(error)) throw error
    // Guardrails have not seen what the server says.
    const reason = services.guardrails.enforcesFor(call.caller) ? error.kind : error.message
    throw problem('upstream_error', { message: `The tools of "${server.name}" could not be listed: ${reason}.` })
  }
}

function shownTool({ name, description = '', inputSchema, annotations }: ServerTool): Fields {
  return { name, description, input_schema: inputSchema, annotations: annotations ?? null }
}

function factsOf({ name, annotations }: ServerTool): ToolFacts {
  return { name, isReadOnly: annotations?.readOnlyHint === true }
}

function toGatewayTool(tool: ServerTool, server: McpServer, wish: McpWish, services: CallServices): GatewayTool {
  const { name, description = '', inputSchema } = tool
  return {
    kind: 'mcp',
    functionName: mcpFunctionName(server.name, name),
    name,
    server: server.name,
    description,
    parameters: inputSchema,
    needsApproval: wish.needsApproval(factsOf(tool)),
    run: async (input, call) => {
      const result = await callMcpTool({ server, tool, input }, call, services)
      return { text: textOfResult(result), isError: result.isError === true }
    },
  }
}

/** The list that a conversation has already is not shown again. */
export function isListedIn(input: unknown, { server }: Fields): boolean {
  return (
    Array.isArray(input) &&
    input.some((item) => item?.type === 'mcp_list_tools' && textOf(item.server_label) === server)
  )
}
