import type { FastifyRequest } from 'fastify'
import { problem } from '../../contract/problems.ts'
import type { HttpServices } from '../route.ts'
import { ownUrl } from './own-url.ts'

export const MCP_PATH = '/v3/mcp'
const RESOURCE = /^\/v3\/mcp(?:\/[a-z0-9][a-z0-9_-]{0,31})?(?=\?|$)/

/** The path of one of our MCP servers, as clients name it: without a slash at its end and without a query. */
export function resourceIn(url: string): string | undefined {
  return RESOURCE.exec(url)?.[0]
}

/** Tells clients where people can let them in (RFC 9728). Without OAuth, it is the same answer as everywhere. */
export function mcpChallenge(request: FastifyRequest, services: HttpServices) {
  const { calls } = services.active.current
  if (!calls.config.mcp.oauth) return undefined
  const metadata = `${ownUrl(request, { ...services, calls })}/.well-known/oauth-protected-resource${resourceIn(request.url) ?? MCP_PATH}`
  return problem('invalid_api_key', {
    headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="mcp"` },
  })
}
