import { EgressFailed } from './refusal.ts'

/** A stretch of time that ends with its parents, when its own time is up, or when it is closed. */
export type Deadline = { signal: AbortSignal; close(): void }

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
  return { signal: controller.signal, close }
}

/** Waits for something that cannot be called off, such as a resolver, no longer than the signal allows. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop))
}
