import { isDeepStrictEqual } from 'node:util'
import { isHolder } from '../../money/limits/match-limits.ts'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { Egress } from '../../platform/net/egress/guarded-fetch.ts'
import { McpClient } from './mcp-client.ts'
import { ServerTools } from './server-tools.ts'

/** The MCP servers of the active configuration, and what asks them. */
export type McpServers = {
  readonly servers: readonly McpServer[]
  readonly client: McpClient
  readonly tools: ServerTools
  /** The servers of another configuration. What is known about those that stay the same is kept. */
  with(servers: readonly McpServer[], egress: Egress): McpServers
}

type Opening = { servers: readonly McpServer[]; egress: Egress; monotonic(): number }

export function openMcp({ servers, egress, monotonic }: Opening): McpServers {
  const client = new McpClient({ egress, monotonic })
  const tools = new ServerTools(client, monotonic)
  return { servers, client, tools, with: (next, way) => replaced({ servers, client, tools }, next, way) }
}

function replaced(before: Omit<McpServers, 'with'>, next: readonly McpServer[], egress: Egress): McpServers {
  const servers = next.map((server) => before.servers.find((one) => isDeepStrictEqual(one, server)) ?? server)
  const client = before.client.through(egress)
  const tools = before.tools.askedBy(client)
  return { servers, client, tools, with: (later, way) => replaced({ servers, client, tools }, later, way) }
}

/** The server of this name; undefined also if the caller may not use it, who is not to learn that it exists. */
export function serverFor(name: string, caller: Caller, { servers }: McpServers): McpServer | undefined {
  return serversFor(caller, { servers }).find((server) => server.name === name)
}

/** The servers that a caller may use. */
export function serversFor(caller: Caller, { servers }: Pick<McpServers, 'servers'>): McpServer[] {
  const labels = { endUser: null, session: null, tags: null }
  const asked = { caller, endpoint: 'chat', labels }
  return servers.filter(({ appliesTo }) => appliesTo.some((holder) => isHolder({ appliesTo: holder }, asked)))
}
