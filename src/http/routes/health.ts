import { HealthReply } from '../../contract/health.ts'
import type { Ledger } from '../../money/billing/ledger.ts'
import { route } from '../define-route.ts'

export const live = route({
  method: 'GET',
  path: '/health/live',
  access: 'open',
  summary: 'Check liveness',
  description: 'Whether the process runs.',
  replies: { 200: { description: 'It runs.', schema: HealthReply } },
  handle: (): HealthReply => ({ status: 'live' }),
})

export const ready = route({
  method: 'GET',
  path: '/health/ready',
  access: 'open',
  summary: 'Check readiness',
  description: 'Whether the gateway is ready for requests.',
  replies: {
    200: { description: 'Yes.', schema: HealthReply },
    503: { description: 'The gateway is starting or shutting down.', schema: HealthReply },
  },
  handle: (_request, reply, { health, calls }) => {
    const status = health.ready ? 'ready' : health.leaving ? 'draining' : 'starting'
    const reason = status === 'starting' ? { reason: health.startReason } : {}
    const body: HealthReply = { status, ...reason, ...troubleOf(calls.ledger) }
    return reply.code(health.ready ? 200 : 503).send(body)
  },
})

/** A gateway that cannot keep its ledger still answers: it is up to the operator to prefer no service to an incomplete ledger. */
function troubleOf({ trouble, waiting, lost }: Ledger): Pick<HealthReply, 'ledger'> {
  return trouble || lost > 0 ? { ledger: { journal: trouble ?? 'ok', waiting, lost } } : {}
}
