import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Outside } from '../core/outside.ts'
import type { Health } from './health.ts'
import type { Route } from './route.ts'
import * as adminKeys from './routes/admin/keys.ts'
import metrics from './routes/admin/metrics.ts'
import usage from './routes/admin/usage.ts'
import chatCompletions from './routes/chat/completions.ts'
import { docs, openapi } from './routes/docs.ts'
import { live, ready } from './routes/health.ts'
import models from './routes/models.ts'
import model from './routes/models/model.ts'
import { createServer } from './server.ts'

/** The API, in reading order. */
export const API_ROUTES: readonly Route[] = [chatCompletions, models, model, live, ready, openapi, docs]

/** The second listener: for the operator, never on the API's port. */
export const ADMIN_ROUTES: readonly Route[] = [
  adminKeys.create,
  adminKeys.list,
  adminKeys.revoke,
  usage,
  metrics,
  live,
  ready,
  openapi,
  docs,
]

export function createApi(outside: Outside, health: Health, log: Logger): FastifyInstance {
  return createServer({ outside, health, routes: API_ROUTES, shedsLoad: true }, log)
}

export function createAdmin(outside: Outside, health: Health, log: Logger): FastifyInstance {
  return createServer({ outside, health, routes: ADMIN_ROUTES, shedsLoad: false }, log)
}
