import { exportAudit, readAudit } from '../../../tenants/audit/read-audit.ts'
import { AuditList } from '../../../contract/admin/audit.ts'
import { demand } from '../../../tenants/people/people-services.ts'
import { words } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { columnsOf, csvOf } from '../../export/list-or-csv.ts'
import { CSV, JSON_LINES, sendLines, TOO_MANY_EXPORTS } from '../../export/send-lines.ts'
import { authorOfRequest } from '../../admin/admin-auth.ts'
import { readTime } from '../../query.ts'
import { route } from '../../define-route.ts'
import { pageIn, paging } from '../../admin/paging.ts'

export default route({
  method: 'GET',
  path: '/admin/audit',
  access: 'admin',
  permission: 'audit.read',
  summary: 'List the audit log',
  description:
    'Newest first. `format=jsonl` and `csv` export all rows that match, oldest first, one per line; this needs the permission `audit.export`. ' +
    'Reading and exporting are in the log, too.',
  query: Type.Object({
    actor: Type.Optional(Type.String({ description: 'Only what this actor did: `user:<id>`, `admin_key`.' })),
    action: Type.Optional(Type.String({ description: 'Only this action: `key.create`.' })),
    object: Type.Optional(Type.String({ description: 'Only what was done with this object: `key:<id>`.' })),
    from: Type.Optional(Type.String({ description: 'Start, inclusive: ISO 8601, or milliseconds since 1970.' })),
    to: Type.Optional(Type.String({ description: 'End, exclusive.' })),
    format: Type.Optional(words(['json', 'jsonl', 'csv'], { default: 'json', description: 'A page, or an export.' })),
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
  handle: async (request, reply, services) => {
    const { actor, action, object, from, to, format = 'json', ...page } = request.query
    const author = authorOfRequest(request)
    const filter = { actor, action, object, from: readTime('from', from), to: readTime('to', to) }
    if (format === 'json') return await readAudit({ ...pageIn(page), ...filter }, author, services.operations.db)
    demand(request.actor, 'audit.export')
    const type = format === 'csv' ? CSV : JSON_LINES
    return sendLines(
      { request, reply, openExports: services.operations.openExports },
      { name: `audit.${format}`, type },
      async () => {
        const lines = await exportAudit(filter, author, services.operations.db)
        return format === 'csv' ? csvOf(columnsOf(AuditList), parsed(lines)) : lines
      },
    )
  },
})

async function* parsed(texts: AsyncIterable<string>): AsyncGenerator<object> {
  for await (const text of texts) for (const line of text.trimEnd().split('\n')) yield JSON.parse(line) as object
}
