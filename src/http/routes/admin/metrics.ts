import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../schema/type.ts'
import { withLabel } from '../../../telemetry/merge-metrics.ts'
import type { HttpServices, Route } from '../../services.ts'

export default {
  method: 'GET',
  path: '/metrics',
  // Scrapers send no key, and the admin listener is on loopback unless its operator moves it. The metrics contain no ids
  // and no texts.
  access: 'open',
  summary: 'Prometheus metrics',
  description:
    'Every sample has the label `process`. If several API processes share a port, the samples are their sums, and the label ' +
    'names their primary process. What a process has counted stays in the sums after its end.',
  replies: { 200: { description: 'The metrics as text.', contentType: 'text/plain', schema: Type.String() } },
  handle: async (_request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const text = await context.readMetrics(context.metrics.write())
    return reply
      .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      .send(withLabel(text, 'process', context.processName))
  },
} satisfies Route
