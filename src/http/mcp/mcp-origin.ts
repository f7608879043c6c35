import type { FastifyRequest } from 'fastify'
import { problem } from '../../contract/problems.ts'
import { ownUrl } from '../edge/own-url.ts'
import type { HttpServices } from '../route.ts'

const OTHER_ORIGIN = problem('not_allowed', {
  message: 'Pages of this origin may not use this server. The operator can allow them with CORS_ORIGINS.',
})

/**
 * The protocol demands that a server checks where a request of a browser comes from: the name of another site may lead to this
 * machine (DNS rebinding). Browsers send `Origin` with every POST. It is compared with addresses that the operator or the socket
 * names, never with the `Host` of the request, which has the name of the other site then.
 */
export function demandKnownOrigin(request: FastifyRequest, services: HttpServices): void {
  const { origin } = request.headers
  if (origin === undefined || request.allowedOrigin !== undefined) return
  if (origin.toLowerCase() !== new URL(ownUrl(request, services)).origin) throw OTHER_ORIGIN
}
