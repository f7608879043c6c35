/** `final` means that another attempt would fail in the same way. */
type Verdict = 'delivered' | 'retry' | 'final'

export type DeliveryOutcome = { verdict: Verdict; status: number | null; error: string | null }

// Redirects are not followed: the original address was checked, its target was not.
const STATUSES: readonly { from: number; to: number; verdict: Verdict }[] = [
  { from: 200, to: 299, verdict: 'delivered' },
  { from: 300, to: 399, verdict: 'final' },
  { from: 400, to: 499, verdict: 'final' },
  { from: 500, to: 599, verdict: 'retry' },
]

const FAILURES = {
  timeout: { verdict: 'retry', error: 'The receiver did not answer in time.' },
  network: { verdict: 'retry', error: 'The receiver could not be reached.' },
  unknown: { verdict: 'final', error: 'The config file has no receiver with this name.' },
  refused: { verdict: 'final', error: 'The URL of the receiver is not allowed.' },
} as const satisfies Record<string, { verdict: Verdict; error: string }>

/** The names that the egress guard and the platform give to failures other than plain network errors. */
const NAMES: Record<string, keyof typeof FAILURES> = {
  timeout: 'timeout',
  TimeoutError: 'timeout',
  connect_timeout: 'timeout',
  headers_timeout: 'timeout',
  EgressRefused: 'refused',
  UnknownReceiver: 'unknown',
}

/** `retried`: statuses after which this receiver is asked again. */
export function outcomeOfStatus(status: number, retried: readonly number[] = []): DeliveryOutcome {
  const row = STATUSES.find(({ from, to }) => from <= status && status <= to)
  const verdict = row && !retried.includes(status) ? row.verdict : 'retry'
  return { verdict, status, error: verdict === 'delivered' ? null : `The receiver answered with status ${status}.` }
}

/** The error's own message is not passed on, because it may name addresses inside the operator's network. */
export function outcomeOfFailure(error: unknown): DeliveryOutcome {
  const { kind, name } = error as { kind?: unknown; name?: unknown }
  const failure = NAMES[String(kind)] ?? NAMES[String(name)] ?? 'network'
  return { status: null, ...FAILURES[failure] }
}
