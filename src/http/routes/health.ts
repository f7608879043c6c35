import type { FastifyReply, FastifyRequest } from 'fastify'
import type { House, Route } from '../route.ts'

const STATUS = { description: 'A word on the state.' }

export const live: Route = {
  method: 'GET',
  path: '/health/live',
  access: 'open',
  summary: 'Whether the process runs',
  replies: { 200: STATUS },
  handle: () => ({ status: 'live' }),
}

export const ready: Route = {
  method: 'GET',
  path: '/health/ready',
  access: 'open',
  summary: 'Whether to send requests here',
  replies: { 200: STATUS, 503: { description: 'Starting, or shutting down.' } },
  handle: (_request: FastifyRequest, reply: FastifyReply, { health }: House) => {
    return reply
      .code(health.ready ? 200 : 503)
      .send({ status: health.ready ? 'ready' : health.draining ? 'draining' : 'starting' })
  },
}
