import type { FastifyRequest } from 'fastify'
import Type from '../../../base/schema/type.ts'
import { closed, words } from '../../../base/schema/fields.ts'
import { LINE_FILTERS, type LineQuery } from '../../../contract/admin/line-filters.ts'
import {
  SUMMED_METRICS,
  USAGE_GROUPS,
  type UsageItem,
  UsageReport,
  UsageSeries,
} from '../../../contract/admin/usage.ts'
import { writeAuditEvents } from '../../../tenants/audit/audited.ts'
import { authorOfRequest } from '../../admin/admin-auth.ts'
import { allUsage, reportUsage, type UsageGroup, type UsageSpan } from '../../../money/billing/usage-report.ts'
import { reportSeries } from '../../../money/billing/usage-series.ts'
import { csvLine } from '../../export/csv.ts'
import { CSV, sendLines, TOO_MANY_EXPORTS } from '../../export/send-lines.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { validationProblem } from '../../problems.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { readFilter, readSpan, visibleLines } from './query/line-filter-query.ts'

const MAX_GROUPS = 10_000
const TAG = /^tag:.{1,64}$/su

const UsageQuery = {
  ...LINE_FILTERS,
  group_by: Type.Optional(
    Type.String({
      description: `How the rows are grouped: ${USAGE_GROUPS.join(', ')}, or \`tag:\` and the name of a tag.`,
      default: 'model',
      examples: ['project', 'tag:team'],
    }),
  ),
  format: Type.Optional(words(['json', 'csv'], { description: '`csv` has all rows.', default: 'json' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_GROUPS, default: MAX_GROUPS, description: 'Rows on a page.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}

export const report = route({
  method: 'GET',
  path: '/admin/usage',
  access: 'admin',
  permission: 'usage.read',
  summary: 'Get usage',
  description:
    'Sums by organization, project, user, key, end user, tag, model, provider, endpoint or time. They equal the sums of the ' +
    'lines. With one filter and groups by time, or without filters, a report reaches back beyond the single calls that are still stored.',
  query: Type.Object(UsageQuery, closed),
  replies: {
    200: { description: 'The sums.', schema: UsageReport, texts: ['text/csv'] },
    429: TOO_MANY_EXPORTS,
  },
  handle: async (request, reply, services) => {
    const { format, limit = MAX_GROUPS, cursor, ...query } = request.query
    const span = await spanOf(query, request, services.money)
    if (format === 'csv') {
      const event = {
        action: 'usage.export',
        object: 'usage',
        after: { ...readFilter(query), group_by: span.groupBy },
      }
      return sendLines(
        { request, reply, openExports: services.operations.openExports },
        { name: 'usage.csv', type: CSV },
        async () => {
          await writeAuditEvents(services.money.db, authorOfRequest(request), event)
          return csvOf(span.groupBy, allUsage(span, services.money))
        },
      )
    }
    return await reportUsage(span, { limit, cursor }, services.money)
  },
})

const MAX_TOP = 8

const SeriesQuery = {
  ...LINE_FILTERS,
  group_by: UsageQuery.group_by,
  over: Type.Optional(words(['day', 'hour'], { description: 'The length of a step, in UTC.', default: 'day' })),
  metric: Type.Optional(words([...SUMMED_METRICS], { description: 'What is added up.', default: 'cost' })),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TOP,
      default: MAX_TOP,
      description: 'How many groups have their own series.',
    }),
  ),
}

export const series = route({
  method: 'GET',
  path: '/admin/usage/series',
  access: 'admin',
  permission: 'usage.read',
  summary: 'Get usage over time',
  description:
    'For charts: what the largest groups leave is `others`, so that everything together is the total of the report.',
  query: Type.Object(SeriesQuery, closed),
  replies: { 200: { description: 'The series.', schema: UsageSeries } },
  handle: async (request, _reply, services) => {
    const { over = 'day', metric = 'cost', top = MAX_TOP, ...query } = request.query
    const span = await spanOf(query, request, services.money)
    if (span.groupBy === 'day' || span.groupBy === 'hour') throw notOverTime()
    return await reportSeries(span, { over, metric, top }, services.money)
  },
})

/** The lines that a query asks for, of those that the actor may see. */
async function spanOf(
  query: LineQuery & { group_by?: string },
  { actor }: FastifyRequest,
  money: HttpServices['money'],
): Promise<UsageSpan> {
  return {
    ...readSpan(query, money.now()),
    groupBy: readGroup(query.group_by),
    filter: { ...readFilter(query), ...(await visibleLines(actor, money)) },
  }
}

function notOverTime() {
  return validationProblem([valueError(['query', 'group_by'], 'Value error, group by something else than the time')])
}

function readGroup(text: string | undefined): UsageGroup {
  if (text === undefined) return 'model'
  if ((USAGE_GROUPS as readonly string[]).includes(text) || TAG.test(text)) return text as UsageGroup
  const msg = `Input should be ${USAGE_GROUPS.join(', ')}, or tag:<name>`
  throw validationProblem([valueError(['query', 'group_by'], msg)])
}

const columns = (...names: (keyof Omit<UsageItem, 'group' | 'name' | 'latency_ms'>)[]) => names
const SUMS = [
  ...columns('requests', 'failed_requests', 'unpriced_requests', 'prompt_tokens', 'cached_tokens', 'completion_tokens'),
  ...columns('total_tokens', 'cost'),
]

async function* csvOf(groupBy: UsageGroup, items: AsyncIterable<UsageItem>): AsyncGenerator<string> {
  yield csvLine([groupBy, 'name', ...SUMS, 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms'])
  for await (const item of items) {
    const { p50, p95, p99 } = item.latency_ms
    yield csvLine([item.group, item.name, ...SUMS.map((name) => item[name]), p50, p95, p99])
  }
}
