import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../schema/type.ts'
import { words } from '../../../schema/fields.ts'
import { USAGE_GROUPS, UsageReport } from '../../../contract/keys.ts'
import { reportUsage } from '../../../billing/usage-report.ts'
import { readTime, readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'

const MONTH_MS = 30 * 86_400_000
const MOMENT = { examples: ['2026-11-15', '2026-11-15T08:00:00Z'] }

/** For /docs. The handler validates the query itself. */
const UsageQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      ...MOMENT,
      description: 'Start, inclusive: ISO 8601, or milliseconds since 1970. Defaults to 30 days before `to`.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...MOMENT,
      description: 'End, exclusive: ISO 8601, or milliseconds since 1970. Defaults to now.',
    }),
  ),
  group_by: Type.Optional(words(USAGE_GROUPS, { description: 'How the rows are grouped.', default: 'model' })),
})

export default {
  method: 'GET',
  path: '/admin/usage',
  access: 'admin',
  permission: 'usage.read',
  summary: 'Sums of requests, tokens and cost',
  query: UsageQuery,
  replies: { 200: { description: 'The sums.', schema: UsageReport } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { from, to, group_by } = request.query as Record<string, string | undefined>
    const until = readTime('to', to, context.now() + 1)
    return reportUsage(
      {
        from: readTime('from', from, until - MONTH_MS),
        to: until,
        groupBy: readWord('group_by', group_by, USAGE_GROUPS, 'model'),
      },
      context,
    )
  },
} satisfies Route
