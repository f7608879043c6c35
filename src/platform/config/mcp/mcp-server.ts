import type { Limit } from '../spend-limits/limit.ts'

/** An MCP server behind the gateway, as the operator describes it. */
export type McpServer = {
  /** The `server_label` of requests, and the last part of `/v3/mcp/{name}`. */
  readonly name: string
  readonly url: string
  /** The header with the operator's credential; undefined if the server needs none. */
  readonly auth: { readonly header: string; readonly secret: string } | undefined
  /** The tools that may be used, by their own names; null allows all. What is denied is not allowed. */
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
  /** Who may use it. */
  readonly appliesTo: readonly Limit['appliesTo'][]
  /** In USD. */
  readonly pricePerCall: number
  readonly timeoutMs: number
  readonly ownedBy: 'file' | 'api'
}

export type McpSettings = {
  servers: readonly McpServer[]
  /** Providers that run MCP themselves may get the address of a server that the caller names. */
  atProviders: boolean
  /** People let programs use `/v3/mcp` in their name, with OAuth. Without it, only keys are accepted there. */
  oauth: boolean
}

export const DEFAULT_TIMEOUT_SECONDS = 60

export function allowsTool({ allow, deny }: Pick<McpServer, 'allow' | 'deny'>, tool: string): boolean {
  return (allow === null || allow.includes(tool)) && !deny.includes(tool)
}
