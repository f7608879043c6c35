export const OAUTH_BASE = '/v3/mcp/oauth'

/** The page on which a person lets a program use MCP; `request` is what it asks for, sealed. */
export function consentPath(request: string): string {
  return `${OAUTH_BASE}/consent?request=${encodeURIComponent(request)}`
}
