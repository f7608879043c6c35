import type { FastifyReply, FastifyRequest } from 'fastify'
import { UsageReport } from '../../../contract/keys.ts'
import { reportUsage } from '../../../core/usage-report.ts'
import { readTime, readWord } from '../../query.ts'
import type { House, Route } from '../../route.ts'

const MONTH_MS = 30 * 86_400_000

export default {
  method: 'GET',
  path: '/admin/usage',
  access: 'admin',
  summary: 'Sums of requests, tokens and cost',
  description:
    '`from` and `to` are ISO dates (the last 30 days by default), `group_by` is key, model, provider or day.',
  replies: { 200: { description: 'The sums.', schema: UsageReport } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { outside }: House) => {
    const { from, to, group_by } = request.query as Record<string, string | undefined>
    const until = readTime('to', to, outside.now() + 1)
    return reportUsage(
      {
        from: readTime('from', from, until - MONTH_MS),
        to: until,
        groupBy: readWord('group_by', group_by, ['key', 'model', 'provider', 'day'], 'model'),
      },
      outside,
    )
  },
} satisfies Route
