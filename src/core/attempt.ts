import type { Call } from './call.ts'
import { type AskedTarget, FAILURES, type Failure, isFailure, toProblem } from './failures.ts'
import type { Outside } from './outside.ts'

/** Asks one target after the other until one answers. */
export async function attempt<Target extends AskedTarget, Reply>(
  targets: readonly Target[],
  call: Call,
  outside: Outside,
  ask: (target: Target) => Promise<Reply>,
): Promise<{ target: Target; reply: Reply }> {
  for (const [index, target] of targets.entries()) {
    const startedAt = outside.now()
    call.model = target.id
    call.provider = target.provider.id
    try {
      const reply = await ask(target)
      note(target, 'answered', startedAt)
      return { target, reply }
    } catch (error) {
      // A caller who left wants no other model either.
      if (call.signal.aborted) {
        note(target, 'abandoned', startedAt)
        throw call.signal.reason
      }
      if (!isFailure(error)) throw error
      note(target, error.kind, startedAt)
      if (isLast(index) || FAILURES[error.kind].next === 'stop') throw toProblem(error, target)
    }
  }
  throw new Error('a call needs at least one target')

  function isLast(index: number) {
    return index === targets.length - 1
  }

  function note(target: Target, outcome: 'answered' | 'abandoned' | Failure['kind'], startedAt: number) {
    call.attempts.push({
      model: target.id,
      provider: target.provider.id,
      outcome,
      durationMs: outside.now() - startedAt,
    })
    outside.metrics.attempted(target.provider.id, outcome)
  }
}
