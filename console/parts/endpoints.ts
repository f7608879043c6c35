import type { ENDPOINT_SCOPES } from '../../src/contract/admin/policy.ts'

export type Endpoint = (typeof ENDPOINT_SCOPES)[number]

/** What a key or a guardrail can be restricted to. */
export const ENDPOINTS: Readonly<Record<Endpoint, string>> = {
  chat: 'Chat',
  models: 'Model list',
  images: 'Images',
  universal: 'Tasks',
  tokens: 'Token counts',
  files: 'Files',
  mcp: 'Tools for agents (MCP)',
}
