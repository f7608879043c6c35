// The scorecard: single requests, and what the caller and the provider must have seen of each.

export type Case = { title: string; ask: RequestView; expect: Expected }

export type RequestView = {
  /** `provider/state`. The mark of the case is added when it runs. */
  model: string
  fallbacks?: readonly string[]
  stream?: boolean
  /** Sent as x-gatehouse-timeout-ms. */
  timeoutMs?: number
}

export type Expected = {
  status: number
  /** Whether it ended as a complete answer: whole, or with one `[DONE]` and no error. */
  complete: boolean
  /** The model that answered, as `provider/state`. */
  by?: string
  /** How many of the sixty words arrived, in order, and nothing else. */
  words?: number
  error?: { code: string; says?: string; limit?: string; retryAfter?: string }
  /** Calls that the provider saw, by state. */
  calls: Record<string, number | readonly [number, number]>
  /** As in the response header. */
  attempts?: number
  /** As in the metadata. */
  outcomes?: readonly string[]
  /** Milliseconds waited before retries, with compressed time and without jitter. None by default. */
  waits?: readonly number[]
  /** Real seconds. */
  seconds: readonly [number, number]
}

export const AT_ONCE = [0, 1.5] as const
export const SLOW_SECONDS = 3
const FIRST_WAIT = 300
export const ALL = 60

/** All sixty words. `tried` is the number of attempts and the outcomes of the failed ones. */
export function answer(by: string, more: Partial<Expected> = {}, tried?: [number, ...string[]]): Expected {
  const [attempts, ...failed] = tried ?? []
  const reported = attempts ? { attempts, outcomes: [...failed, 'answered'], calls: { [stateOf(by)]: attempts } } : {}
  return { status: 200, complete: true, by, words: ALL, calls: {}, seconds: AT_ONCE, ...reported, ...more }
}

export function failover(from: string, failed: string[], more: Partial<Expected> = {}): Expected {
  const calls = { [from]: 1, ok: 1 }
  return answer('faulty/ok', { calls, attempts: 2, outcomes: [...failed, 'answered'], ...more })
}

export function refusal(
  status: number,
  error: Expected['error'],
  calls: Expected['calls'],
  attempts?: number,
  more: Partial<Expected> = {},
): Expected {
  return { status, complete: false, error, calls, seconds: AT_ONCE, ...(attempts && { attempts }), ...more }
}

/** The words so far, then one error inside of the stream, and no `[DONE]`. */
export function broken(
  state: string,
  words: number,
  calls: Expected['calls'],
  error: Partial<Expected['error']> = {},
): Expected {
  const reported = { code: 'upstream_error', ...error }
  return { status: 200, complete: false, by: `faulty/${state}`, words, error: reported, calls, seconds: AT_ONCE }
}

export function ONE_WAIT(): Partial<Expected> {
  return { waits: [FIRST_WAIT], seconds: [0.14, 1.8] }
}

function stateOf(model: string): string {
  return model.split('/')[1]!
}
