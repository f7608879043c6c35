import Type, { type Static, type TObject, type TSchema } from '../../base/schema/type.ts'

const text = (description: string, examples?: readonly string[]) =>
  Type.Optional(Type.String({ description, ...(examples && { examples }) }))
/** Callers may choose long names. */
const label = (description: string) => Type.Optional(Type.String({ maxLength: 1_000, description }))
const number = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

const MOMENT = ['2026-11-15', '2026-11-15T08:00:00Z']

/** What a guardrail can do in a call. */
export const GUARDRAIL_OUTCOMES = [
  'passed',
  'flagged',
  'redacted',
  'blocked',
  'unscanned',
  'would_redact',
  'would_block',
] as const
export type GuardrailOutcome = (typeof GUARDRAIL_OUTCOMES)[number]

const GUARDRAIL = `Only calls in which this guardrail did something; \`id:outcome\`: only those in which it did this (${GUARDRAIL_OUTCOMES.map((outcome) => `\`${outcome}\``).join(', ')}).`

/** The query parameters of `/admin/usage` and `/admin/requests` that say which calls are meant. */
export const LINE_FILTERS = {
  from: text('Start, inclusive: ISO 8601, or milliseconds since 1970. Defaults to 30 days before `to`.', MOMENT),
  to: text('End, exclusive: ISO 8601, or milliseconds since 1970. Defaults to now.', MOMENT),
  organization: text('Only calls of this organization.'),
  project: text('Only calls of this project.'),
  user: text('Only calls of the keys of this user.'),
  key: text('Only calls of this key.'),
  owner: text('Only calls of this owner.'),
  end_user: label('Only calls for this end user.'),
  session: label('Only calls of this session.'),
  agent: label('Only calls of this agent inside of a session.'),
  batch: label('Only calls that are lines of this batch, by its `id` or its `name` in `GET /admin/batches`.'),
  client: text('Only calls of this program.', ['claude-code']),
  tag: text('Only calls with this tag, written `name=value`.', ['team=search']),
  requested_model: label('Only calls that asked for this name.'),
  model: text('Only calls that this model answered.'),
  provider: text('Only calls that this provider answered.'),
  endpoint: text('Only calls of this endpoint, such as `chat`.'),
  status: text('Only calls with this status, or with a status of this class.', ['429', '5xx']),
  code: text('Only calls with this error code.'),
  failed: Type.Optional(Type.Boolean({ description: 'Only calls that failed, or only others.' })),
  guardrail: text(GUARDRAIL, ['pii', 'pii:blocked']),
  fallback: Type.Optional(
    Type.Boolean({
      description: 'Only calls that another model than the first one answered, or only others.',
    }),
  ),
  min_cost: number('Only calls that cost at least this much, in USD.'),
  max_cost: number('Only calls that cost at most this much, in USD.'),
  min_duration_ms: number('Only calls that took at least this long.'),
  max_duration_ms: number('Only calls that took at most this long.'),
} satisfies Record<string, TSchema>
export type LineQuery = Static<TObject<typeof LINE_FILTERS>>

/** The query parameters of the request log that find single calls. */
export const CALL_IDS = {
  id: text('Only calls with this id, or with this id of the caller.'),
  upstream_id: text('Only calls to which a provider gave this id.'),
}
export type CallIdQuery = Static<TObject<typeof CALL_IDS>>
