import type { FastifyRequest } from 'fastify'
import { type Problem, problem } from '../../contract/problems.ts'

/** Some agents try a WebSocket first, and use HTTP at once if they get this status. */
export function upgradeProblem(request: FastifyRequest): Problem | undefined {
  const { upgrade } = request.headers
  if (upgrade === undefined || upgrade.toLowerCase() !== 'websocket') return undefined
  // A path that exists ignores the request for another protocol, which HTTP allows.
  if (request.routeOptions.config.route) return undefined
  return problem('websocket_not_supported', { headers: { connection: 'close', upgrade: 'HTTP/1.1' } })
}
