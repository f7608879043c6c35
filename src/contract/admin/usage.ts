import { nullable, timestamp } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { NEXT_CURSOR } from '../paging.ts'

const sums = {
  requests: Type.Integer({ minimum: 0, description: 'Calls.' }),
  failed_requests: Type.Integer({ minimum: 0, description: 'Calls that ended in an error.' }),
  unpriced_requests: Type.Integer({ minimum: 0, description: 'Calls whose price is not known.' }),
  prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens read.' }),
  cached_tokens: Type.Integer({ minimum: 0, description: 'Tokens read from a cache, part of prompt_tokens.' }),
  completion_tokens: Type.Integer({ minimum: 0, description: 'Tokens written.' }),
  total_tokens: Type.Integer({ minimum: 0, description: 'The total of both.' }),
  cost: Type.Number({ minimum: 0, description: 'The cost in USD. Calls without a known price add nothing.' }),
}

export const USAGE_GROUPS = [
  'organization',
  'project',
  'user',
  'key',
  'owner',
  'end_user',
  'session',
  'agent',
  'client',
  'requested_model',
  'model',
  'provider',
  'endpoint',
  'status',
  'day',
  'hour',
] as const

const percentile = (share: string) =>
  nullable(Type.Integer(), `The duration that ${share} of the calls did not exceed.`)

const latency = Type.Object(
  { p50: percentile('50 %'), p95: percentile('95 %'), p99: percentile('99 %') },
  { description: 'How long calls took, in milliseconds: estimates, from a histogram. Null without calls.' },
)

export const UsageItem = Type.Object(
  {
    group: Type.String({
      description:
        'The value of what the rows are grouped by. Empty for calls without one. `(other)` for end users, sessions, agents and ' +
        'values of tags that are too many to be counted one by one.',
    }),
    name: nullable(
      Type.String(),
      'The name of the key, project, organization or user, also of a deleted one except users.',
    ),
    ...sums,
    latency_ms: latency,
  },
  { title: 'UsageItem', description: 'The sums of a group.' },
)
export type UsageItem = Static<typeof UsageItem>

/** What can be added up over groups and times. */
export const SUMMED_METRICS = [
  'cost',
  'requests',
  'failed_requests',
  'total_tokens',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
] as const
export type SummedMetric = (typeof SUMMED_METRICS)[number]

const amounts = (description: string) => Type.Array(Type.Number(), { description })

export const UsageSeries = Type.Object(
  {
    from: timestamp('Begin, included. The beginning of the hour where single calls are no longer stored.'),
    to: timestamp('The end of the period, not included.'),
    group_by: Type.String({ description: 'What the series are grouped by.' }),
    over: Type.String({ description: '`day` or `hour`.' }),
    metric: Type.String({ description: 'What is added up.' }),
    starts: Type.Array(Type.String({ format: 'date-time' }), {
      description: 'When each day or hour with calls begins, in UTC.',
    }),
    series: Type.Array(
      Type.Object({
        group: Type.String({ description: 'The value of what they are grouped by.' }),
        name: nullable(Type.String(), 'Its name, if it has one.'),
        values: amounts('One amount for each of `starts`.'),
      }),
      { description: 'The largest groups, the largest one first.' },
    ),
    others: amounts('All other groups together, for each of `starts`.'),
    total: Type.Number({ description: 'Everything together. It is the total of the report by groups.' }),
  },
  { title: 'UsageSeries', description: 'Sums of the largest groups over time.' },
)
export type UsageSeries = Static<typeof UsageSeries>

export const UsageReport = Type.Object(
  {
    from: timestamp('Begin, included. The beginning of the hour where single calls are no longer stored.'),
    to: timestamp('The end of the period, not included.'),
    group_by: Type.String({ description: `What the rows are grouped by: ${USAGE_GROUPS.join(', ')}, or tag:<name>.` }),
    items: Type.Array(UsageItem, { description: 'One row per group.' }),
    total: Type.Object({ ...sums, latency_ms: latency }, { description: 'The totals of all rows.' }),
    next_cursor: NEXT_CURSOR,
  },
  { title: 'UsageReport', description: 'A usage report.' },
)
export type UsageReport = Static<typeof UsageReport>
