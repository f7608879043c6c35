import type { CallStart } from '../calls/call.ts'
import { outputOf } from '../billing/token-buckets.ts'
import type { Attempt } from './attempt.ts'
import type { Observations } from './observations.ts'

/** Reports an answer to the router's figures. A sandbox key is answered by a simulation, which says nothing about the target. */
export function observe({ target, startedAt, call, context }: Attempt): void {
  if (call.caller.kind === 'sandbox') return
  context.observations.note({
    target: target.id,
    owner: call.caller.owner,
    firstTokenMs: call.stream ? (call.attempts.at(-1)?.durationMs ?? null) : null,
    tokens: call.estimated || !call.tokens ? null : outputOf(call.tokens),
    durationMs: context.monotonic() - startedAt,
    failed: false,
  })
}

type Observing = { observations: Observations }

export function observeFailure(target: { id: string }, call: CallStart, { observations }: Observing): void {
  if (call.caller.kind === 'sandbox') return
  const { owner } = call.caller
  observations.note({ target: target.id, owner, firstTokenMs: null, tokens: null, durationMs: 0, failed: true })
}
