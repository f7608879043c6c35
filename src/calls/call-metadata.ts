import type { Call } from './call.ts'
import { retirementNote } from './retirement.ts'

/** The `gatehouse` object of an answer: what happened on the way to it. */
export function metadataOf(call: Call, { monotonic }: { monotonic(): number }) {
  const { startedAt, trace, spending } = call
  const { attempts, notes, hooks, guardrails, routing, firstTokenAt, retirement } = call.record
  const timings = {
    total_ms: monotonic() - startedAt,
    ...(firstTokenAt !== null && { first_token_ms: firstTokenAt - startedAt }),
  }
  return {
    attempts: attempts.map(({ model, provider, outcome, durationMs }) => {
      return { model, provider, outcome, duration_ms: durationMs }
    }),
    notes: retirement ? [...notes, retirementNote(retirement)] : notes,
    hooks,
    ...(guardrails.length > 0 && { guardrails }),
    ...(routing && { routing }),
    timings,
    ...(spending.answered.tokensAreEstimated && { usage_estimated: true }),
    ...(trace && { trace_id: trace.traceId }),
  }
}
