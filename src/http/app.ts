import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { adminNames, originProblem } from './admin/check-origin.ts'
import { pageForBrowsers } from './console/send-page.ts'
import { shapeErrors } from './format-errors.ts'
import type { Health } from './health.ts'
import { routedUrl, urlOfAgent } from './paths/other-paths.ts'
import { noteRefusals } from './admin/refusal-log.ts'
import { ADMIN_ROUTES } from './routes/admin-routes.ts'
import { API_ROUTES } from './routes/api-routes.ts'
import type { ActiveServices } from './services.ts'
import { createServer, type ServerParts } from './server.ts'

type ListenerParts = ServerParts & { health: Health }

export function createApi(active: ActiveServices, { health, ...parts }: ListenerParts): FastifyInstance {
  const rewriteUrl: typeof routedUrl = (url, headers) =>
    routedUrl(active.current.calls.config.agents.signIn ? urlOfAgent(url) : url, headers)
  const api = createServer({ health, routes: API_ROUTES, shedsLoad: true, listener: 'api', rewriteUrl }, active, parts)
  api.addHook('preSerialization', shapeErrors)
  return api
}

export function createAdmin(active: ActiveServices, { health, ...parts }: ListenerParts): FastifyInstance {
  const refuses = (request: IncomingMessage) => originProblem(request, adminNames(active.current.calls.config))
  const services = {
    health,
    routes: ADMIN_ROUTES,
    apiRoutes: API_ROUTES,
    shedsLoad: false,
    listener: 'admin' as const,
    refuses,
  }
  const admin = createServer(services, active, parts)
  admin.addHook('onSend', noteRefusals(active, parts.log))
  admin.addHook(
    'onSend',
    pageForBrowsers(() => active.current.calls),
  )
  return admin
}
