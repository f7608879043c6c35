import type { CallFacts } from '../call.ts'
import { outputOf } from '../../money/billing/token-buckets.ts'
import type { Attempt } from './attempt.ts'
import { speedOf } from './figures.ts'
import type { Observations } from './observations.ts'

/**
 * Reports an answer, or several answers to one request, to the router's figures. A sandbox key is answered by a simulation, which
 * says nothing about the target.
 */
export function observe({ target, startedAt, call, services }: Attempt, answers: number): void {
  const { record, spending } = call
  if (call.caller.kind === 'sandbox') return
  const { tokens, tokensAreEstimated } = spending.answered
  const seen = {
    firstTokenMs: record.isStream ? (record.attempts.at(-1)?.durationMs ?? null) : null,
    tokens: tokensAreEstimated || !tokens ? null : outputOf(tokens),
    durationMs: services.monotonic() - startedAt,
  }
  const speed = speedOf({ ...seen, hiddenTokens: tokens?.reasoning ?? 0, answers })
  services.observations.note({ target: target.id, owner: call.caller.owner, ...seen, speed, failed: false })
}

type Observing = { observations: Observations }

export function observeFailure(target: { id: string }, call: CallFacts, { observations }: Observing): void {
  if (call.caller.kind === 'sandbox') return
  const { owner } = call.caller
  observations.note({ target: target.id, owner, firstTokenMs: null, tokens: null, durationMs: 0, failed: true })
}
