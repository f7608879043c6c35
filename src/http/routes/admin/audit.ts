import type { FastifyReply, FastifyRequest } from 'fastify'
import { exportAudit, readAudit } from '../../../audit/read-audit.ts'
import { AuditList } from '../../../contract/admin/audit.ts'
import { demand } from '../../../people/people-context.ts'
import { words } from '../../../schema/fields.ts'
import Type from '../../../schema/type.ts'
import { columnsOf, csvOf } from '../../export/list-or-csv.ts'
import { CSV, JSON_LINES, sendLines, TOO_MANY_EXPORTS } from '../../export/send-lines.ts'
import { authorOfRequest } from '../../admin/admin-auth.ts'
import { readText, readTime, readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { pageIn, paging } from '../../admin/paging.ts'

const FORMATS = ['json', 'jsonl', 'csv'] as const
const MAX_FILTER_CHARS = 300

export default {
  method: 'GET',
  path: '/admin/audit',
  access: 'admin',
  permission: 'audit.read',
  summary: 'The audit log, newest first',
  description:
    '`format=jsonl` and `csv` export all rows that match, oldest first, one on each line; that needs the permission `audit.export`. ' +
    'Reading and exporting are in the log, too.',
  query: Type.Object({
    actor: Type.Optional(Type.String({ description: 'Only what this actor did: `user:<id>`, `admin_key`.' })),
    action: Type.Optional(Type.String({ description: 'Only this action: `key.create`.' })),
    object: Type.Optional(Type.String({ description: 'Only what was done with this object: `key:<id>`.' })),
    from: Type.Optional(Type.String({ description: 'Start, inclusive: ISO 8601, or milliseconds since 1970.' })),
    to: Type.Optional(Type.String({ description: 'End, exclusive.' })),
    format: Type.Optional(words([...FORMATS], { default: 'json', description: 'A page, or an export.' })),
    ...paging,
  }),
  replies: {
    200: {
      description: 'A page of rows, or all of them.',
      schema: AuditList,
      texts: ['application/jsonl', 'text/csv'],
    },
    429: TOO_MANY_EXPORTS,
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const { format } = request.query as Record<string, string | undefined>
    const author = authorOfRequest(request)
    const filter = filterIn(request)
    const wanted = readWord('format', format, FORMATS, 'json')
    if (wanted === 'json') return await readAudit({ ...pageIn(request), ...filter }, author, context.db)
    demand(request.actor, 'audit.export')
    const type = wanted === 'csv' ? CSV : JSON_LINES
    return sendLines({ request, reply, context }, { name: `audit.${wanted}`, type }, async () => {
      const lines = await exportAudit(filter, author, context.db)
      return wanted === 'csv' ? csvOf(columnsOf(AuditList), parsed(lines)) : lines
    })
  },
} satisfies Route

async function* parsed(texts: AsyncIterable<string>): AsyncGenerator<object> {
  for await (const text of texts) for (const line of text.trimEnd().split('\n')) yield JSON.parse(line) as object
}

function filterIn({ query }: FastifyRequest) {
  const { actor, action, object, from, to } = query as Record<string, string | undefined>
  return {
    actor: readText('actor', actor, MAX_FILTER_CHARS),
    action: readText('action', action, MAX_FILTER_CHARS),
    object: readText('object', object, MAX_FILTER_CHARS),
    from: from === undefined ? undefined : readTime('from', from, 0),
    to: to === undefined ? undefined : readTime('to', to, 0),
  }
}
