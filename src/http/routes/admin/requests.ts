import type { FastifyReply, FastifyRequest } from 'fastify'
import { allRequests, listRequests, showRequest } from '../../../billing/request-log.ts'
import { record } from '../../../audit/record.ts'
import { RequestContent } from '../../../contract/admin/content.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { contentState, showContent } from '../../../contents/show-content.ts'
import { authorOfRequest, peopleContext } from '../../admin/admin-auth.ts'
import { CALL_IDS, LINE_FILTERS } from '../../../contract/admin/line-filters.ts'
import { RequestList, RequestRecord } from '../../../contract/admin/requests.ts'
import { words } from '../../../schema/fields.ts'
import Type from '../../../schema/type.ts'
import { CSV, JSON_LINES, sendLines, TOO_MANY_EXPORTS } from '../../export/send-lines.ts'
import { readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import live from './requests/live.ts'
import { csvOf, jsonLinesOf } from './requests/export-requests.ts'
import { pageIn, paging } from '../../admin/paging.ts'
import { askedIn, knownQuery, readSpan, readVisible, textIn, visibleLines } from './query/line-filter-query.ts'

const FORMATS = ['json', 'csv', 'jsonl'] as const
const FILES = { csv: { type: CSV, write: csvOf }, jsonl: { type: JSON_LINES, write: jsonLinesOf } }

/** For /docs. The handler validates the query itself. */
const RequestsQuery = {
  ...LINE_FILTERS,
  ...CALL_IDS,
  format: Type.Optional(
    words(FORMATS, { description: '`csv` and `jsonl` have all calls that pass the filter.', default: 'json' }),
  ),
  ...paging,
}

const list: Route = {
  method: 'GET',
  path: '/admin/requests',
  access: 'admin',
  permission: 'usage.read',
  summary: 'The request log, newest first',
  description:
    'Every call with its cost, its outcome and its labels; never its content. A page may have fewer entries than `limit`, or ' +
    'none: a rare filter is searched for in parts, and `next_cursor` goes on. Without `from`, it begins 30 days before `to`.',
  query: Type.Object(RequestsQuery),
  replies: {
    200: { description: 'A page of calls.', schema: RequestList, texts: ['text/csv', 'application/jsonl'] },
    429: TOO_MANY_EXPORTS,
  },
  handle: async (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const query = knownQuery(request, RequestsQuery)
    const filter = await readVisible(query, request.actor, context)
    const search = { ...readSpan(query, context.now()), filter }
    const format = readWord('format', textIn(query, 'format'), FORMATS, 'json')
    if (format === 'json') return listRequests(search, pageIn(request), context)
    const event = { action: 'requests.export', object: 'requests', after: { format, ...askedIn(filter) } }
    const { type, write } = FILES[format]
    return sendLines({ request, reply, context }, { name: `requests.${format}`, type }, async () => {
      await record(context.db, authorOfRequest(request), event)
      return write(allRequests(search, context))
    })
  },
}

const one: Route = {
  method: 'GET',
  path: '/admin/requests/{call_id}',
  access: 'admin',
  permission: 'usage.read',
  summary: 'One call of the request log',
  description: 'The call with every attempt, notes, hooks, limits and what its cost is made of.',
  greedy: true,
  replies: { 200: { description: 'The call.', schema: RequestRecord } },
  handle: async (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const visible = await visibleLines(request.actor, context)
    const call = await showRequest((request.params as { '*': string })['*'], visible, context)
    return { ...call, content: await contentState(call, peopleContext(request, context)) }
  },
}

const content: Route = {
  method: 'GET',
  path: '/admin/requests/{call_id}/content',
  access: 'admin',
  permission: 'content.read',
  summary: 'The content of one call',
  description:
    'What was asked and answered, if the project keeps it or the key was being recorded. Managers see it if their project says ' +
    'so, members only what was done with their own keys. Every reading is in the audit log.',
  replies: {
    200: { description: 'The content.', schema: RequestContent },
    404: { description: 'No content of this call is kept, or the actor may not read it.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { call_id } = request.params as { call_id: string }
    const { secrets, files } = context
    return showContent(call_id, { ...peopleContext(request, context), secrets, blobs: files.blobs })
  },
}

export const requestRoutes: readonly Route[] = [list, live, content, one]
