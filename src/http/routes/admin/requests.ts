import { allRequests, listRequests, showRequest } from '../../../money/billing/request-log.ts'
import { writeAuditEvents } from '../../../tenants/audit/audited.ts'
import { RequestContent } from '../../../contract/admin/content.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { contentState, showContent } from '../../../calls/contents/show-content.ts'
import { authorOfRequest, askedBy } from '../../admin/admin-auth.ts'
import { CALL_IDS, LINE_FILTERS } from '../../../contract/admin/line-filters.ts'
import { RequestList, RequestRecord } from '../../../contract/admin/requests.ts'
import { closed, words } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { CSV, JSON_LINES, sendLines, TOO_MANY_EXPORTS } from '../../export/send-lines.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import live from './requests/live.ts'
import { csvOf, jsonLinesOf } from './requests/export-requests.ts'
import { pageIn, paging } from '../../admin/paging.ts'
import { askedIn, readSpan, readVisible, visibleLines } from './query/line-filter-query.ts'

const FILES = { csv: { type: CSV, write: csvOf }, jsonl: { type: JSON_LINES, write: jsonLinesOf } }

const RequestsQuery = Type.Object(
  {
    ...LINE_FILTERS,
    ...CALL_IDS,
    format: Type.Optional(
      words(['json', 'csv', 'jsonl'], {
        description: '`csv` and `jsonl` have all calls that match the filter.',
        default: 'json',
      }),
    ),
    ...paging,
  },
  closed,
)

const list = route({
  method: 'GET',
  path: '/admin/requests',
  access: 'admin',
  permission: 'usage.read',
  summary: 'List requests',
  description:
    'The request log, newest first. Every call with its cost, its outcome and its labels; never its content. A page may have fewer entries than `limit`, or ' +
    'none: a search for rare calls goes in steps, and `next_cursor` continues it. Without `from`, it begins 30 days before `to`.',
  query: RequestsQuery,
  replies: {
    200: { description: 'A page of calls.', schema: RequestList, texts: ['text/csv', 'application/jsonl'] },
    429: TOO_MANY_EXPORTS,
  },
  handle: async (request, reply, services) => {
    const { format = 'json', limit, cursor, ...query } = request.query
    const filter = await readVisible(query, request.actor, services.money)
    const search = { ...readSpan(query, services.money.now()), filter }
    if (format === 'json') return await listRequests(search, pageIn({ limit, cursor }), services.money)
    const event = { action: 'requests.export', object: 'requests', after: { format, ...askedIn(filter) } }
    const { type, write } = FILES[format]
    return sendLines(
      { request, reply, openExports: services.operations.openExports },
      { name: `requests.${format}`, type },
      async () => {
        await writeAuditEvents(services.money.db, authorOfRequest(request), event)
        return write(allRequests(search, services.money))
      },
    )
  },
})

const one = route({
  method: 'GET',
  path: '/admin/requests/{call_id}',
  access: 'admin',
  permission: 'usage.read',
  summary: 'Get a request',
  description: 'The call with every attempt, notes, hooks, limits and what its cost is made of.',
  greedy: true,
  replies: { 200: { description: 'The call.', schema: RequestRecord } },
  handle: async (request, _reply, services) => {
    const visible = await visibleLines(request.actor, services.money)
    const call = await showRequest(request.params.call_id, visible, services.money)
    return { ...call, content: await contentState(call, askedBy(request, services.money)) }
  },
})

const content = route({
  method: 'GET',
  path: '/admin/requests/{call_id}/content',
  access: 'admin',
  permission: 'content.read',
  summary: 'Get the content of a request',
  description:
    'The request and the answer, if the project keeps them or the key was being recorded. Managers see it if their project says ' +
    'so, members only what was done with their own keys. Every reading is in the audit log.',
  replies: {
    200: { description: 'The content.', schema: RequestContent },
    404: { description: 'No content of this call is kept, or the actor may not read it.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { call_id } = request.params
    const { db, secrets, files } = services.tenants
    return showContent(call_id, askedBy(request, { db, secrets, blobs: files.blobs }))
  },
})

export const requestRoutes: readonly Route[] = [list, live, content, one]
