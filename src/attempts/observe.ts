import type { Call, CallStart } from '../calls/call.ts'
import { outputOf } from '../billing/token-buckets.ts'
import type { Observations } from './observations.ts'

type Observing = { observations: Observations }
type Answered = { target: { id: string }; startedAt: number }

/** What an answer teaches the router about its target. A sandbox key's answers come from elsewhere and teach nothing. */
export function observe(
  { target, startedAt }: Answered,
  call: Call,
  { observations, now }: Observing & { now(): number },
): void {
  if (call.caller.kind === 'sandbox') return
  observations.note({
    target: target.id,
    owner: call.caller.owner,
    firstTokenMs: call.stream ? (call.attempts.at(-1)?.durationMs ?? null) : null,
    tokens: call.estimated || !call.tokens ? null : outputOf(call.tokens),
    durationMs: now() - startedAt,
    failed: false,
  })
}

export function observeFailure(target: { id: string }, call: CallStart, { observations }: Observing): void {
  if (call.caller.kind === 'sandbox') return
  const { owner } = call.caller
  observations.note({ target: target.id, owner, firstTokenMs: null, tokens: null, durationMs: 0, failed: true })
}
