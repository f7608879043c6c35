import { nullable, timestamp } from '../../schema/fields.ts'
import Type, { type Static } from '../../schema/type.ts'
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
        'The value of what the rows are grouped by. Empty for calls without one. `(other)` for end users and values of ' +
        'tags that are too many to be counted one by one.',
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
