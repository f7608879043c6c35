import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeRules, readAlerts, takeOnAlert } from '../../../alerts/manage-alerts.ts'
import { tryReceiver } from '../../../alerts/try-receiver.ts'
import { ALERT_RULES } from '../../../contract/admin/alert-rules.ts'
import {
  ALERT_STATES,
  Alert,
  AlertList,
  AlertRules,
  TestAlertReply,
  TestAlertRequest,
} from '../../../contract/admin/alerts.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { words } from '../../../schema/fields.ts'
import Type from '../../../schema/type.ts'
import { peopleContext } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies, type PageQuery } from '../../export/list-or-csv.ts'
import { readText, readTime, readWord } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'
import { paging } from '../../admin/paging.ts'

const MAX_ID_CHARS = 100

const list: Route = {
  method: 'GET',
  path: '/admin/alerts',
  access: 'admin',
  permission: 'alerts.read',
  summary: 'Alerts that are open, and past ones, newest first',
  query: Type.Object({
    state: Type.Optional(words([...ALERT_STATES], { description: 'Absent: open and resolved ones.' })),
    rule: Type.Optional(words([...ALERT_RULES], { description: 'Only alerts of this rule.' })),
    project: Type.Optional(Type.String({ description: 'Only alerts about this project.' })),
    from: Type.Optional(Type.String({ description: 'Opened since, inclusive: ISO 8601, or milliseconds since 1970.' })),
    to: Type.Optional(Type.String({ description: 'Opened before.' })),
    ...paging,
    ...CSV_FORMAT,
  }),
  replies: listReplies('A page of alerts.', AlertList),
  handle: (request: FastifyRequest, reply: FastifyReply, { context }: HttpServices) => {
    const filter = filterIn(request)
    const read = (page: PageQuery) => readAlerts({ ...page, ...filter }, peopleContext(request, context))
    return listOrCsv(request, reply, context, { name: 'alerts', schema: AlertList, read })
  },
}

function filterIn({ query }: FastifyRequest) {
  const { state, rule, project, from, to } = query as Record<string, string | undefined>
  return {
    state: state === undefined ? undefined : readWord('state', state, ALERT_STATES, 'open'),
    rule: rule === undefined ? undefined : readWord('rule', rule, ALERT_RULES, 'budget'),
    project: readText('project', project, MAX_ID_CHARS),
    from: from === undefined ? undefined : readTime('from', from, 0),
    to: to === undefined ? undefined : readTime('to', to, 0),
  }
}

const rules: Route = {
  method: 'GET',
  path: '/admin/alerts/rules',
  access: 'admin',
  permission: 'alerts.read',
  summary: 'The rules of alerts with their thresholds, and the receivers without their secrets',
  replies: { 200: { description: 'What is watched, and who is told.', schema: AlertRules } },
  handle: async (_request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => describeRules(context),
}

const tryOne: Route = {
  method: 'POST',
  path: '/admin/alerts/test',
  access: 'admin',
  permission: 'alerts.write',
  summary: 'Send a test to a receiver',
  description:
    'Really sends, once, and reports the status of the answer. PagerDuty opens an incident of severity `info`.',
  body: TestAlertRequest,
  replies: {
    200: { description: 'What the receiver answered.', schema: TestAlertReply },
    404: { description: 'There is no receiver with this name.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { receiver } = (request.body as JsonBody).value as TestAlertRequest
    return tryReceiver(receiver, peopleContext(request, context))
  },
}

const acknowledge: Route = {
  method: 'POST',
  path: '/admin/alerts/{id}/acknowledge',
  access: 'admin',
  permission: 'alerts.write',
  summary: 'Say that you have taken an alert on',
  description: 'Others see it in the list. Receivers are not told.',
  replies: {
    200: { description: 'The alert.', schema: Alert },
    404: { description: 'There is no such alert.', schema: ErrorBody },
    409: { description: 'The alert is over.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    takeOnAlert((request.params as { id: string }).id, peopleContext(request, context)),
}

export const alertRoutes: readonly Route[] = [list, rules, tryOne, acknowledge]
