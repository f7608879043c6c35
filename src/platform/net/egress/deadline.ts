import { EgressFailed } from './refusal.ts'

/**
 * A time limit that also ends with its parent signals. `close` only releases the timer; `abort` aborts everything that uses
 * the signal.
 */
type Deadline = { signal: AbortSignal; close(): void; abort(reason: unknown): void }

export function openDeadline(ms: number, ...parents: AbortSignal[]): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new EgressFailed('timeout')), ms)
  const follow = (event: Event) => controller.abort((event.target as AbortSignal).reason)
  for (const parent of parents) {
    if (parent.aborted) controller.abort(parent.reason)
    parent.addEventListener('abort', follow, { once: true })
  }
  const close = () => {
    clearTimeout(timer)
    for (const parent of parents) parent.removeEventListener('abort', follow)
  }
  const abort = (reason: unknown) => {
    close()
    controller.abort(reason)
  }
  return { signal: controller.signal, close, abort }
}

/** Waits for work that cannot be cancelled, such as a resolver, but no longer than the signal allows. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop))
}
