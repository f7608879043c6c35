import type { FastifyRequest } from 'fastify'
import { isFailure } from '../../calls/attempts/failures.ts'
import type { McpToolList } from '../../contract/admin/mcp-servers.ts'
import { problem } from '../../contract/problems.ts'
import { allowsTool } from '../../platform/config/mcp/mcp-server.ts'
import type { HttpServices } from '../route.ts'

/** What a server offers now, for operators: also the tools that callers may not use. */
export async function toolsOfServer(
  request: FastifyRequest,
  name: string,
  { calls: { mcp } }: HttpServices,
): Promise<McpToolList> {
  const server = mcp.servers.find((one) => one.name === name)
  if (!server) throw problem('not_found', { message: 'There is no such MCP server.' })
  request.callController ??= new AbortController()
  try {
    const tools = await mcp.tools.all(server, request.callController.signal)
    return {
      items: tools.map(({ name: tool, title, description = '', inputSchema, annotations }) => ({
        name: tool,
        title: title ?? null,
        description,
        input_schema: inputSchema,
        read_only: annotations?.readOnlyHint ?? null,
        allowed: allowsTool(server, tool),
      })),
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    throw problem('upstream_error', { message: `${server.name}: ${error.message}` })
  }
}
