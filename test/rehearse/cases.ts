import { OVERLOADED, POLICY_REASON } from './states.ts'
import { type Case, AT_ONCE, SLOW_SECONDS, answer, failover, refusal, ONE_WAIT } from './case.ts'
import { BROKEN_STREAMS } from './broken-stream-cases.ts'

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
    title: 'reset before the headers, once: a request that was written is not sent again',
    ask: { model: 'faulty/reset-once', stream: true },
    expect: refusal(502, { code: 'upstream_error' }, { 'reset-once': 1 }, 1),
  },
  {
    title: 'reset before the headers, for ever',
    ask: { model: 'faulty/reset' },
    expect: refusal(502, { code: 'upstream_error' }, { reset: 1 }, 1),
  },
  ...['minus-1', '1e9'].map((what): Case => {
    const state = `429-once-retry-after-${what}`
    return {
      title: `Retry-After that is no number of seconds (${what})`,
      ask: { model: `faulty/${state}` },
      expect: answer(`faulty/${state}`, ONE_WAIT(), [2, 'rate_limited']),
    }
  }),
  {
    title: 'Retry-After of a day: the gateway does not wait for it',
    ask: { model: 'faulty/429-once-retry-after-a-day' },
    expect: refusal(429, { code: 'rate_limited', retryAfter: '86400' }, { '429-once-retry-after-a-day': 1 }, 1),
  },
  {
    title: 'Retry-After with a date that is far away: the gateway does not wait for it',
    ask: { model: 'faulty/429-once-retry-after-a-date' },
    expect: refusal(429, { code: 'rate_limited', retryAfter: '86400' }, { '429-once-retry-after-a-date': 1 }, 1),
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
