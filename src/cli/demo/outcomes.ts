// How calls end, as a table: what fails before the last attempt, and what the caller gets.

export type Failed = { outcome: string; status: number | null; reason: string }

export type DemoOutcome = {
  weight: number
  /** Attempts before the last one. `same`: at the same model again, otherwise another model takes over. */
  before: readonly (Failed & { same?: true })[]
  /** The last attempt, if it failed too. Null if it answered; undefined if no model was asked at all. */
  last: Failed | null | undefined
  status: number
  code: string | null
}

const OVERLOADED: Failed = {
  outcome: 'overloaded',
  status: 503,
  reason: 'The model is overloaded. Please try again later.',
}
const LIMITED: Failed = { outcome: 'rate_limited', status: 429, reason: 'Rate limit reached for requests per minute.' }
const BROKEN: Failed = {
  outcome: 'server_error',
  status: 500,
  reason: 'The server had an error while processing your request.',
}
const SILENT: Failed = { outcome: 'first_token_timeout', status: null, reason: 'No token arrived within 60 s.' }
const TOO_LONG: Failed = {
  outcome: 'context_length',
  status: 400,
  reason: "This model's maximum context length is 128000 tokens. Your messages have 141322 tokens.",
}
const FILTERED: Failed = {
  outcome: 'bad_request',
  status: 400,
  reason: 'The response was filtered by the content policy.',
}
const LEFT: Failed = { outcome: 'abandoned', status: null, reason: 'The client disconnected.' }

/** How a call ends in which a guardrail found a credential. */
export const SECRET_FOUND = 'guardrail_blocked'

export const ANSWERED: DemoOutcome = outcome(9_300, [], null, [200])
export const OVERLONG: DemoOutcome = outcome(55, [], TOO_LONG, [400, 'context_length_exceeded'])

export const OUTCOMES: readonly DemoOutcome[] = [
  ANSWERED,
  outcome(160, [LIMITED], null, [200]),
  outcome(120, [OVERLOADED], null, [200]),
  outcome(70, [{ ...BROKEN, same: true }], null, [200]),
  outcome(25, [OVERLOADED, LIMITED], null, [200]),
  outcome(60, [], LEFT, [499, 'client_gone']),
  OVERLONG,
  outcome(25, [], FILTERED, [400, 'content_policy_violation']),
  outcome(40, [OVERLOADED], BROKEN, [502, 'upstream_error']),
  outcome(30, [], SILENT, [504, 'upstream_timeout']),
  outcome(45, [], undefined, [429, 'rate_limit_exceeded']),
  outcome(20, [], undefined, [403, 'not_allowed']),
  outcome(25, [], undefined, [422, 'validation_error']),
  outcome(18, [], undefined, [403, SECRET_FOUND]),
]

/** What happens while a budget is spent. */
export const BUDGET_SPENT: DemoOutcome = outcome(1, [], undefined, [402, 'budget_exhausted'])

/** While a provider has an incident, most of its calls go elsewhere. */
export const DURING_INCIDENT: readonly DemoOutcome[] = [
  outcome(3, [], null, [200]),
  outcome(10, [OVERLOADED], null, [200]),
  outcome(2, [OVERLOADED], BROKEN, [502, 'upstream_error']),
]

function outcome(weight: number, before: DemoOutcome['before'], last: DemoOutcome['last'], told: Told): DemoOutcome {
  const [status, code = null] = told
  return { weight, before, last, status, code }
}

/** What the caller gets. */
type Told = [status: number, code?: string]
