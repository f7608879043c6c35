import type { FastifyRequest } from 'fastify'
import { isFailure } from '../../calls/attempts/failures.ts'
import { serversFor } from '../../calls/mcp/mcp-servers.ts'
import type { OfferedMcpServers } from '../../contract/admin/mcp-servers.ts'
import { mapConcurrently } from '../../endpoints/embeddings/map-concurrently.ts'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import type { HttpServices } from '../route.ts'

const MAX_AT_ONCE = 8

/** The servers that a caller may name in a chat. One that fails does not hide the others. */
export async function offeredServers(
  request: FastifyRequest,
  { calls: { mcp } }: HttpServices,
): Promise<OfferedMcpServers> {
  request.callController ??= new AbortController()
  const { signal } = request.callController
  const offer = async (server: McpServer) => {
    try {
      const tools = await mcp.tools.of(server, signal)
      const shown = tools.map(({ name, description = '' }) => ({ name, description }))
      return { name: server.name, tools: shown, problem: null }
    } catch (error) {
      if (!isFailure(error)) throw error
      return { name: server.name, tools: null, problem: error.message }
    }
  }
  return { items: await mapConcurrently(serversFor(request.caller, mcp), MAX_AT_ONCE, offer) }
}
