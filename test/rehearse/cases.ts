import { OVERLOADED, POLICY_REASON } from './states.ts'

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

const AT_ONCE = [0, 1.5] as const
const SLOW_SECONDS = 3
const FIRST_WAIT = 300
const ALL = 60

const RETRIES: Case[] = [
  {
    title: '429 once, Retry-After 1',
    ask: { model: 'faulty/429-once-retry-after-1' },
    expect: answer('faulty/429-once-retry-after-1', { waits: [1_000], seconds: [1, 2.5] }, [2, 'rate_limited']),
  },
  {
    title: '429 for ever',
    ask: { model: 'faulty/429-for-ever' },
    expect: refusal(429, { code: 'rate_limited', retryAfter: '1' }, { '429-for-ever': 2 }, 2, ONE_WAIT()),
  },
  {
    title: '500 once',
    ask: { model: 'faulty/500-once' },
    expect: answer('faulty/500-once', ONE_WAIT(), [2, 'server_error']),
  },
  {
    title: '500 once, streamed',
    ask: { model: 'faulty/500-once', stream: true },
    expect: answer('faulty/500-once', ONE_WAIT(), [2, 'server_error']),
  },
  {
    title: '503 for ever',
    ask: { model: 'faulty/503-for-ever' },
    expect: refusal(503, { code: 'overloaded', says: OVERLOADED }, { '503-for-ever': 2 }, 2, ONE_WAIT()),
  },
  {
    title: 'reset before the headers, once',
    ask: { model: 'faulty/reset-once', stream: true },
    expect: answer('faulty/reset-once', ONE_WAIT(), [2, 'reset']),
  },
  {
    title: 'reset before the headers, for ever',
    ask: { model: 'faulty/reset' },
    expect: refusal(502, { code: 'upstream_error' }, { reset: 2 }, 2, ONE_WAIT()),
  },
  ...['minus-1', '1e9', 'a-date'].map((what): Case => {
    const state = `429-once-retry-after-${what}`
    return {
      title: `Retry-After that is no number of seconds (${what})`,
      ask: { model: `faulty/${state}` },
      expect: answer(`faulty/${state}`, ONE_WAIT(), [2, 'rate_limited']),
    }
  }),
  {
    title: 'Retry-After of a day: nobody waits for it',
    ask: { model: 'faulty/429-once-retry-after-a-day' },
    expect: refusal(429, { code: 'rate_limited', retryAfter: '86400' }, { '429-once-retry-after-a-day': 1 }, 1),
  },
]

const SILENCES: Case[] = [
  {
    title: 'never answers, alone, the caller gives 12 s',
    ask: { model: 'faulty/silent', stream: true, timeoutMs: 12_000 },
    expect: refusal(504, { code: 'upstream_timeout', limit: 'total' }, { silent: 1 }, 1, { seconds: [12, 13] }),
  },
  {
    title: 'never answers, with a fallback',
    ask: { model: 'faulty/silent', fallbacks: ['faulty/ok'], stream: true },
    expect: failover('silent', ['first_token_timeout'], { seconds: [10, 11.5] }),
  },
  {
    title: 'never answers a whole request, with a fallback',
    ask: { model: 'faulty/silent', fallbacks: ['faulty/ok'] },
    expect: failover('silent', ['headers_timeout'], { seconds: [58, 63] }),
  },
  {
    title: 'first token after 20 s, with a fallback',
    ask: { model: 'faulty/slow-first-token', fallbacks: ['faulty/ok'], stream: true },
    expect: failover('slow-first-token', ['first_token_timeout'], { seconds: [10, 11.5] }),
  },
  {
    title: 'first token after 20 s, alone: waited for',
    ask: { model: 'faulty/slow-first-token', stream: true },
    // A reply that a comment opened after 15 s has no headers about attempts.
    expect: answer('faulty/slow-first-token', {
      calls: { 'slow-first-token': 1 },
      outcomes: ['answered'],
      seconds: [20, 22],
    }),
  },
  {
    title: 'a deadline of 10 s over four models',
    ask: {
      model: 'faulty/503-after-4',
      fallbacks: ['faulty/503-after-4', 'faulty/503-after-4', 'faulty/silent'],
      stream: true,
      timeoutMs: 10_000,
    },
    expect: {
      ...refusal(504, { code: 'upstream_timeout', limit: 'total' }, { '503-after-4': [2, 3], silent: 0 }),
      seconds: [10, 10.5],
    },
  },
]

const BROKEN_STREAMS: Case[] = [
  {
    title: 'cut after 40 of 60 words, alone: asked once more, cut again',
    ask: { model: 'faulty/cut-40-of-60', stream: true },
    expect: broken('cut-40-of-60', 40, { 'cut-40-of-60': 2 }),
  },
  {
    title: 'cut after 40 of 60 words once, alone: the same model goes on',
    ask: { model: 'faulty/cut-40-of-60-once', stream: true },
    expect: answer('faulty/cut-40-of-60-once', { calls: { 'cut-40-of-60-once': 2 } }),
  },
  {
    title: 'cut after 40, the fallback says the same: it goes on',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['faulty/ok'], stream: true },
    expect: answer('faulty/ok', { calls: { 'cut-40-of-60': 1, ok: 1 } }),
  },
  {
    title: 'cut after 40, the fallback says something else: one error',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['faulty/other'], stream: true },
    expect: broken('cut-40-of-60', 40, { 'cut-40-of-60': 1, other: 1 }),
  },
  {
    title: 'cut after 40, the fallback takes the words as its beginning',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['carrying/takes-prefill'], stream: true },
    expect: answer('carrying/takes-prefill', { calls: { 'cut-40-of-60': 1, 'takes-prefill': 1 } }),
  },
  {
    title: 'cut after 40, the fallback refuses a beginning: it is asked without one, and the caller never hears of it',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['carrying/refuses-prefill'], stream: true },
    expect: answer('carrying/refuses-prefill', {
      calls: { 'cut-40-of-60': 1, 'refuses-prefill': 2 },
    }),
  },
  {
    title: 'stall after 20 words, the fallback says the same',
    ask: { model: 'stalling/stall-20', fallbacks: ['faulty/ok'], stream: true },
    expect: answer('faulty/ok', { calls: { 'stall-20': 1, ok: 1 }, seconds: [11.5, 15] }),
  },
  {
    title: 'stall after 20 words, alone: it fails, and is not asked again',
    ask: { model: 'stalling/stall-20', stream: true },
    expect: {
      ...broken('stall-20', 20, { 'stall-20': 1 }, { code: 'upstream_timeout', limit: 'idle' }),
      seconds: [11.5, 15],
      by: 'stalling/stall-20',
    },
  },
  {
    title: 'data that cannot have been a word: passed over',
    ask: { model: 'faulty/keep-alive-data', stream: true },
    expect: answer('faulty/keep-alive-data', {}, [1]),
  },
  ...['unreadable-event', 'plain-error', 'error-object'].map((state): Case => {
    return {
      title: `${state} in the place of a word, alone: asked once more, broken again`,
      ask: { model: `faulty/${state}`, stream: true },
      expect: broken(state, 40, { [state]: 2 }),
    }
  }),
  ...['unreadable-event-once', 'not-utf8-once', 'flat-error-once', 'done-no-finish-once'].map((state): Case => {
    return {
      title: `${state}, alone: the same model goes on`,
      ask: { model: `faulty/${state}`, stream: true },
      expect: answer(`faulty/${state}`, { calls: { [state]: 2 } }),
    }
  }),
  {
    title: '[DONE] without a finish reason: not complete, and the error names the line of the config file',
    ask: { model: 'faulty/done-no-finish', stream: true },
    expect: broken('done-no-finish', ALL, { 'done-no-finish': 2 }, { says: 'endsWithoutReason' }),
  },
  {
    title: '[DONE] without a finish reason from a provider that always ends like this: complete',
    ask: { model: 'unsaid/done-no-finish', stream: true },
    expect: answer('unsaid/done-no-finish', {}, [1]),
  },
  ...['cut-arguments', 'cut-arguments-done'].map((state): Case => {
    return {
      title: `${state}: half a tool call is not complete, and nobody goes on with it`,
      ask: { model: `faulty/${state}`, fallbacks: ['faulty/never-asked'], stream: true },
      expect: broken(state, 0, { [state]: 1, 'never-asked': 0 }),
    }
  }),
  {
    title: 'a whole answer to a streamed request: passed on',
    ask: { model: 'faulty/whole-for-stream', stream: true },
    expect: answer('faulty/whole-for-stream', {}, [1]),
  },
  {
    title: 'a stream that is compressed although nobody asked for it: decoded',
    ask: { model: 'faulty/gzipped', stream: true },
    expect: answer('faulty/gzipped', {}, [1]),
  },
  {
    title: 'a finish reason and no [DONE]: complete',
    ask: { model: 'faulty/no-done', stream: true },
    expect: answer('faulty/no-done', {}, [1]),
  },
  {
    title: 'neither a finish reason nor [DONE]: not complete',
    ask: { model: 'faulty/no-done-no-finish', stream: true },
    expect: broken('no-done-no-finish', ALL, { 'no-done-no-finish': 2 }),
  },
]

const REFUSALS: Case[] = [
  {
    title: 'context length, alone: not sent again',
    ask: { model: 'faulty/context-length' },
    expect: refusal(400, { code: 'context_length_exceeded' }, { 'context-length': 1 }, 1),
  },
  {
    title: 'context length: the fallback may hold it',
    ask: { model: 'faulty/context-length', fallbacks: ['faulty/ok'] },
    expect: failover('context-length', ['context_length']),
  },
  {
    title: "content policy: no retry, no fallback, the provider's reason",
    ask: { model: 'faulty/content-policy', fallbacks: ['faulty/never-asked'] },
    expect: refusal(
      400,
      { code: 'content_policy_violation', says: POLICY_REASON },
      { 'content-policy': 1, 'never-asked': 0 },
      1,
    ),
  },
  {
    title: 'all four fail: one error, the last one is asked again',
    ask: { model: 'faulty/500', fallbacks: ['faulty/502', 'faulty/reset', 'faulty/503-for-ever'] },
    expect: refusal(
      503,
      { code: 'overloaded', says: OVERLOADED },
      { 500: 1, 502: 1, reset: 1, '503-for-ever': 2 },
      5,
      ONE_WAIT(),
    ),
  },
]

/** The ways in which the first model fails, and the outcome that is recorded. */
const FAULTS: Record<string, string> = {
  'gone/refused': 'refused',
  'nowhere/dns': 'dns',
  'insecure/tls': 'tls',
  'faulty/reset': 'reset',
  'faulty/silent': 'first_token_timeout',
  'faulty/408': 'timeout',
  'faulty/409': 'conflict',
  'faulty/429-for-ever': 'rate_limited',
  'faulty/500': 'server_error',
  'faulty/502': 'server_error',
  'faulty/503-for-ever': 'overloaded',
  'faulty/504': 'timeout',
  'faulty/garbage': 'garbage',
  'faulty/empty-body': 'empty',
}

const FAULTS_WITH_FALLBACKS = Object.entries(FAULTS).map(([model, outcome]): Case => {
  const [provider, state] = model.split('/') as [string, string]
  const reached = provider === 'faulty' ? { [state]: 1 } : {}
  return {
    title: `${state} (${outcome}), three fallbacks: the second model answers`,
    ask: { model, fallbacks: ['faulty/ok', 'faulty/never-asked', 'faulty/never-asked'], stream: true },
    expect: {
      ...failover(state, [outcome]),
      calls: { ...reached, ok: 1, 'never-asked': 0 },
      seconds: state === 'silent' ? [10, 11.5] : AT_ONCE,
    },
  }
})

export const CASES: readonly Case[] = [
  ...RETRIES,
  ...SILENCES,
  ...BROKEN_STREAMS,
  ...REFUSALS,
  ...FAULTS_WITH_FALLBACKS,
]

/**
 * Slow cases mostly wait, so they can run concurrently; their waits before retries cannot be distinguished from each other.
 */
export function isSlow({ expect }: Case): boolean {
  return expect.seconds[1] > SLOW_SECONDS
}

/** All sixty words. `tried` is the number of attempts and the outcomes of the failed ones. */
function answer(by: string, more: Partial<Expected> = {}, tried?: [number, ...string[]]): Expected {
  const [attempts, ...failed] = tried ?? []
  const reported = attempts ? { attempts, outcomes: [...failed, 'answered'], calls: { [stateOf(by)]: attempts } } : {}
  return { status: 200, complete: true, by, words: ALL, calls: {}, seconds: AT_ONCE, ...reported, ...more }
}

function failover(from: string, failed: string[], more: Partial<Expected> = {}): Expected {
  const calls = { [from]: 1, ok: 1 }
  return answer('faulty/ok', { calls, attempts: 2, outcomes: [...failed, 'answered'], ...more })
}

function refusal(
  status: number,
  error: Expected['error'],
  calls: Expected['calls'],
  attempts?: number,
  more: Partial<Expected> = {},
): Expected {
  return { status, complete: false, error, calls, seconds: AT_ONCE, ...(attempts && { attempts }), ...more }
}

/** The words so far, then one error inside of the stream, and no `[DONE]`. */
function broken(
  state: string,
  words: number,
  calls: Expected['calls'],
  error: Partial<Expected['error']> = {},
): Expected {
  const reported = { code: 'upstream_error', ...error }
  return { status: 200, complete: false, by: `faulty/${state}`, words, error: reported, calls, seconds: AT_ONCE }
}

function ONE_WAIT(): Partial<Expected> {
  return { waits: [FIRST_WAIT], seconds: [0.14, 1.8] }
}

function stateOf(model: string): string {
  return model.split('/')[1]!
}
