import { newSendReport, UNTRACED } from '../../translation/wire/wire.ts'
import type { CallTrace } from '../call-trace.ts'
import { writeTraceparent } from '../../platform/telemetry/trace-context.ts'
import { newSpanId } from '../../platform/telemetry/trace-ids.ts'
import type { Attempt, AttemptServices, PlannedAttempt } from './attempt.ts'
import type { ChosenCredential } from './credentials.ts'
import type { AttemptTarget } from './failures.ts'
import { recordBegin } from './record-outcome.ts'

/** Attempts of the parts of one call that are traced. */
const MAX_INNER = 32

export function beginAttempt<Target extends AttemptTarget, Services extends AttemptServices>(
  planned: PlannedAttempt<Target, Services>,
  credential: ChosenCredential,
  maxOutput: number | undefined,
): Attempt<Target, Services> {
  const { target, call, services } = planned
  const { trace } = call
  const span = trace ? newSpan(trace, target.provider.traceContext === true) : UNTRACED
  const startedAt = services.monotonic()
  const attempt = {
    ...planned,
    credential,
    maxOutput,
    startedAt,
    orderedModel: target,
    key: Symbol(target.id),
    orders: [],
    verdict: { isGiven: false },
    span,
  }
  call.record.asks(target)
  recordBegin(attempt)
  return attempt
}

/** The caller's own trace headers go to no provider: one that is told about the trace gets the span of this attempt. */
function newSpan({ traceId, isSampled }: CallTrace, isTold: boolean): Attempt['span'] {
  const spanId = newSpanId()
  return { spanId, traceparent: isTold ? writeTraceparent({ traceId, spanId, isSampled }) : null }
}

/** Notes how an attempt ended, for the request log and the metrics. */
export function noteAttempt(attempt: Attempt, outcome: string, reason: string | null = null) {
  const { target, credential, startedAt, span, orders, call, services } = attempt
  const record = {
    model: target.id,
    provider: target.provider.id,
    demanded: target.demanded,
    outcome,
    durationMs: services.monotonic() - startedAt,
    startedAt,
    credential: credential.name ?? null,
    wire: orders.at(-1)?.report ?? { ...newSendReport(), ...span },
    reason,
    providerRow: target.provider,
  }
  call.record.attempted(record)
  if (call.isPart && call.trace && call.trace.inner.length < MAX_INNER) call.trace.inner.push(record)
  services.metrics.attempted(target.provider.id, outcome)
}
