import { closed, mapOf, moment, nullable, optional, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { IDLE_WINDOW } from '../../base/schema/patterns.ts'
import { pageOf } from '../paging.ts'

// The words are those of src/platform/config/spend-limits/limit.ts, and the bounds those of limit-entry.ts beside it.
const MAX_ASSUMED_PRICE = 10_000
const MAX_COUNT = 1_000_000_000_000
const MAX_LIST = 100
const MAX_NAME_CHARS = 200
const MAX_HOLDER_CHARS = 1_000
const text = (description: string) => Type.String({ minLength: 1, maxLength: 256, description })
const list = (description: string) =>
  optional(Type.Array(text('A name.'), { minItems: 1, maxItems: MAX_LIST }), description)
export const LIMIT_UNITS = ['usd', 'requests', 'tokens', 'input_tokens', 'output_tokens', 'concurrent'] as const
const windows = ['second', 'minute', 'hour', 'day', 'week', 'month', 'total'] as const

const price = (description: string) => Type.Number({ minimum: 0, maximum: MAX_ASSUMED_PRICE, description })
const AssumedPrice = Type.Object(
  {
    input: price('USD per million tokens that are read.'),
    output: price('USD per million tokens that are written.'),
  },
  { title: 'AssumedPrice', description: 'The price of models that have none.', ...closed },
)

const LimitIncrease = Type.Object(
  {
    amount: Type.Number({ minimum: 0, maximum: MAX_COUNT, description: 'What is added, in the unit of the limit.' }),
    until: Type.String({ format: 'date-time', description: 'When it ends.' }),
  },
  { title: 'LimitIncrease', description: 'A temporary increase.', ...closed },
)

export const AppliesTo = Type.String({
  minLength: 1,
  maxLength: MAX_HOLDER_CHARS,
  description: '`all`, `organization:<id>`, `project:<id>`, `user:<id>`, `key:<id>` or `end_user:<id>`.',
})
const limit = Type.Number({
  minimum: 0,
  maximum: MAX_COUNT,
  description: 'USD, or a number of requests, tokens or calls.',
})
export const LimitWindow = Type.Union(
  [words([...windows]), Type.String({ pattern: IDLE_WINDOW, description: 'Such as `idle:30m`.' })],
  {
    description:
      'How long the limit is for. Calendar windows begin in `timezone`. `idle:30m` is for limits per session: it ends when the session was not used for that long.',
  },
)

const settings = {
  name: optional(Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS }), 'What people call it.'),
  per: optional(
    words(['key', 'user', 'end_user', 'session']),
    'Whose calls are counted apart. Absent: all share the limit. `session`: each session of a key.',
  ),
  max_sessions: optional(
    Type.Integer({ minimum: 1, maximum: 10_000 }),
    'Of a limit per session: how many sessions of a key are counted apart at the same time. Calls of further ones, and calls without a session, share one account of their key.',
    { default: 100 },
  ),
  timezone: optional(text('A time zone.'), 'Where days, weeks and months begin.', { default: 'UTC' }),
  models: list('Only for these models: `provider/model`, or a beginning with `*`.'),
  providers: list('Only for these providers.'),
  endpoints: list('Only for these endpoints: `chat`, `images`, `universal` ….'),
  tags: optional(mapOf(text('A value.')), 'Only for calls with all of these tags.'),
  mode: optional(words(['enforce', 'shadow']), 'A `shadow` limit counts and refuses nothing.', { default: 'enforce' }),
  on_exceeded: optional(
    words(['clamp', 'refuse']),
    '`clamp` shortens the answer to what can be paid, if that is enough. The default for money, and for tokens of windows from a day on.',
  ),
  assume: optional(
    AssumedPrice,
    'The price of chat models that have none. Every other call without a price is refused.',
  ),
  increase: optional(LimitIncrease, 'A temporary increase.'),
  alerts: optional(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 }), { minItems: 1, maxItems: 10 }),
    'Fractions of the limit: an alert is sent once in each window when one is reached.',
  ),
}
const id = optional(
  text('An id.'),
  'Your own id of it. Absent: one is made. Only a role on the organization `default` and admin keys choose it.',
)
const unit = words(['requests', 'tokens', 'input_tokens', 'output_tokens', 'concurrent'], {
  description: 'What is counted.',
})

export const CreateBudgetRequest = Type.Object(
  { id, applies_to: AppliesTo, limit, window: LimitWindow, ...settings },
  { title: 'CreateBudgetRequest', description: 'A budget to create.', ...closed },
)
export type CreateBudgetRequest = Static<typeof CreateBudgetRequest>
export const CreateRateLimitRequest = Type.Object(
  { id, applies_to: AppliesTo, unit, limit, window: Type.Optional(LimitWindow), ...settings },
  { title: 'CreateRateLimitRequest', description: 'A rate limit to create.', ...closed },
)
export type CreateRateLimitRequest = Static<typeof CreateRateLimitRequest>
const changes = {
  applies_to: Type.Optional(AppliesTo),
  limit: Type.Optional(limit),
  window: Type.Optional(LimitWindow),
}
export const ChangeBudgetRequest = Type.Object(
  { ...changes, ...settings },
  { title: 'ChangeBudgetRequest', description: 'What to change. A member that is null is removed.', ...closed },
)
export type ChangeBudgetRequest = Static<typeof ChangeBudgetRequest>
export const ChangeRateLimitRequest = Type.Object(
  { ...changes, unit: Type.Optional(unit), ...settings },
  { title: 'ChangeRateLimitRequest', description: 'What to change. A member that is null is removed.', ...closed },
)
export type ChangeRateLimitRequest = Static<typeof ChangeRateLimitRequest>
export type CreateLimitRequest = CreateBudgetRequest | CreateRateLimitRequest
export type ChangeLimitRequest = ChangeRateLimitRequest

const LimitBucket = Type.Object(
  {
    bucket: Type.String({
      description:
        'The key, user or end user; empty for calls without one. Of a session: its key, a space, and its name.',
    }),
    spent: Type.Number({ description: 'Settled in the window that is open.' }),
    reserved: Type.Number({ description: 'Held by calls and processes.' }),
  },
  { title: 'LimitBucket', description: 'Whose calls are counted apart.' },
)

/** What is known of a limit at this moment, for operators and for callers. */
export const limitSums = {
  spent: Type.Number({ description: 'Settled in the window that is open, in the unit of the limit.' }),
  reserved: Type.Number({ description: 'Held by calls that run, and by processes for their next calls.' }),
  left: nullable(Type.Number(), 'What is left. Null for a limit that is counted for each of many.'),
  resets_at: nullable(moment, 'When a new window begins. Null for a total, and for rates, whose window slides.'),
}

export const LimitBody = Type.Object(
  {
    id: text('Its id.'),
    owned_by: words(['file', 'api'], { description: 'Only limits of the `api` can be changed here.' }),
    set_by: words(['own', 'project', 'organization', 'installation'], {
      description: 'With which rights it was set. A role that reaches less far cannot change it.',
    }),
    applies_to: AppliesTo,
    unit: words([...LIMIT_UNITS], { description: 'What is counted.' }),
    limit,
    effective_limit: Type.Number({
      description: 'The limit at this moment: `limit`, with the temporary increase while it lasts.',
    }),
    window: LimitWindow,
    ...settings,
    ...limitSums,
    lost: Type.Number({ description: 'Held by processes that died. POST …/release frees it.' }),
    buckets: Type.Array(LimitBucket, { description: 'Of a limit with `per`: those that have spent most.' }),
    created_at: nullable(moment, 'When it was created. Null for a limit of the config file.'),
    updated_at: nullable(moment, 'When it was last changed. Null for a limit of the config file.'),
  },
  { title: 'Limit', description: 'A budget or a rate limit.' },
)
export type LimitBody = Static<typeof LimitBody>

export const LimitList = pageOf(LimitBody, {
  title: 'LimitList',
  description: 'Limits, page by page.',
  items: 'The limits, by id.',
})
export type LimitList = Static<typeof LimitList>

export const ApplyingLimits = Type.Object(
  {
    items: Type.Array(LimitBody, {
      description:
        'The widest first. `spent` and `left` are those of this person where people are counted apart; `buckets` is empty.',
    }),
  },
  { title: 'ApplyingLimits', description: 'The limits that calls are counted against.' },
)
export type ApplyingLimits = Static<typeof ApplyingLimits>

export const ReleasedLeases = Type.Object(
  { released: Type.Number({ description: 'What was freed, in the unit of the limit.' }) },
  { title: 'ReleasedLeases', description: 'What processes held that died.' },
)
export type ReleasedLeases = Static<typeof ReleasedLeases>

const KeyLimit = Type.Object(
  {
    id: text('Its id.'),
    unit: words([...LIMIT_UNITS], { description: 'What is counted.' }),
    window: LimitWindow,
    limit,
    ...limitSums,
  },
  { title: 'KeyLimit', description: 'A limit that applies to the key.' },
)

export const KeyState = Type.Object(
  {
    name: Type.String({ description: 'The name of the key.' }),
    project: Type.String({ description: 'The id of its project.' }),
    scopes: nullable(Type.Array(Type.String()), 'What it may use. Null for everything.'),
    limit: nullable(Type.Number(), 'The tightest budget that applies to the key, in USD. Null if none does.'),
    limit_remaining: nullable(Type.Number(), 'What is left of it.'),
    usage: Type.Number({ description: 'What is spent of it. 0 without a budget.' }),
    limits: Type.Array(KeyLimit, {
      description:
        'The budgets and rate limits that apply to the key, except those of some endpoints, tags or end users.',
    }),
  },
  { title: 'KeyState', description: 'The caller’s own key, its limits and what is left of them.' },
)
export type KeyState = Static<typeof KeyState>
