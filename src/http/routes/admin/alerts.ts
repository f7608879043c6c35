import { describeRules, readAlerts, takeOnAlert } from '../../../jobs/alerts/manage-alerts.ts'
import { tryReceiver } from '../../../jobs/alerts/try-receiver.ts'
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
import { words } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { readTime } from '../../query.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import { paging } from '../../admin/paging.ts'

const list = route({
  method: 'GET',
  path: '/admin/alerts',
  access: 'admin',
  permission: 'alerts.read',
  summary: 'List alerts',
  description: 'Open and resolved alerts, newest first.',
  query: Type.Object({
    state: Type.Optional(words([...ALERT_STATES], { description: 'Absent: open and resolved ones.' })),
    rule: Type.Optional(words([...ALERT_RULES], { description: 'Only alerts of this rule.' })),
    project: Type.Optional(Type.String({ maxLength: 100, description: 'Only alerts about this project.' })),
    from: Type.Optional(Type.String({ description: 'Opened since, inclusive: ISO 8601, or milliseconds since 1970.' })),
    to: Type.Optional(Type.String({ description: 'Opened before.' })),
    ...paging,
    ...CSV_FORMAT,
  }),
  replies: listReplies('A page of alerts.', AlertList),
  handle: (request, reply, services) => {
    const { state, rule, project, from, to } = request.query
    const filter = { state, rule, project, from: readTime('from', from), to: readTime('to', to) }
    return listOrCsv(request, reply, services.operations, {
      name: 'alerts',
      schema: AlertList,
      read: (page) => readAlerts({ ...page, ...filter }, askedBy(request, services.jobs)),
    })
  },
})

const rules = route({
  method: 'GET',
  path: '/admin/alerts/rules',
  access: 'admin',
  permission: 'alerts.read',
  summary: 'List alert rules and receivers',
  description: 'The rules with their thresholds, and the receivers without their secrets.',
  replies: { 200: { description: 'The rules and the receivers.', schema: AlertRules } },
  handle: async (_request, _reply, services) => describeRules(services.calls),
})

const tryOne = route({
  method: 'POST',
  path: '/admin/alerts/test',
  access: 'admin',
  permission: 'alerts.write',
  summary: 'Send a test alert',
  description:
    'Sends one real message, and reports the status of the answer. PagerDuty opens an incident of severity `info`.',
  body: TestAlertRequest,
  replies: {
    200: { description: 'What the receiver answered.', schema: TestAlertReply },
    404: { description: 'There is no receiver with this name.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => {
    const { receiver } = request.body.value
    return tryReceiver(receiver, askedBy(request, services.jobs))
  },
})

const acknowledge = route({
  method: 'POST',
  path: '/admin/alerts/{id}/acknowledge',
  access: 'admin',
  permission: 'alerts.write',
  summary: 'Acknowledge an alert',
  description: 'The list of alerts shows who acknowledged it. Receivers get no message.',
  replies: {
    200: { description: 'The alert.', schema: Alert },
    404: { description: 'There is no such alert.', schema: ErrorBody },
    409: { description: 'The alert is resolved.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => takeOnAlert(request.params.id, askedBy(request, services.jobs)),
})

export const alertRoutes: readonly Route[] = [list, rules, tryOne, acknowledge]
