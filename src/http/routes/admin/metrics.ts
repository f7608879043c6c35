import Type from '../../../base/schema/type.ts'
import { withLabel } from '../../../platform/telemetry/merge-metrics.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'GET',
  path: '/metrics',
  // Scrapers send no key, and the admin listener is on loopback unless its operator moves it. The metrics contain no texts of
  // callers except names of models, and no ids except those of limits.
  access: 'open',
  summary: 'Get Prometheus metrics',
  description:
    'Every sample has the label `process`. If several API processes share a port, the samples are their sums, and the label ' +
    'names their primary process. What a process has counted stays in the sums after its end. Families about the whole store ' +
    'are the same in every replica: docs/metrics.md lists them.',
  replies: { 200: { description: 'The metrics as text.', contentType: 'text/plain', schema: Type.String() } },
  handle: async (_request, reply, services) => {
    const [own, shared] = await Promise.all([
      services.operations.readMetrics(services.calls.metrics.write()),
      services.operations.readSharedMetrics(),
    ])
    return reply
      .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      .send(withLabel(own + shared, 'process', services.operations.processName))
  },
})
