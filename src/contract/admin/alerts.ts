import { freeObject, moment, nullable, timestamp, uuid, words } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { ALERT_RULES, RECEIVER_FORMATS, SEVERITIES } from './alert-rules.ts'
import { pageOf } from '../paging.ts'

const severity = words([...SEVERITIES], { description: 'How bad it is.' })

export const ALERT_STATES = ['open', 'resolved', 'pending'] as const

export const Alert = Type.Object(
  {
    id: uuid('Identifies the alert. Receivers get it as `alert_id`.'),
    rule: Type.String({ description: 'The rule that has seen it.' }),
    state: words([...ALERT_STATES], {
      description: '`pending`: the condition is true, but has not lasted long enough for receivers to be told.',
    }),
    severity,
    subject: Type.String({ description: 'What it is about. A rule has one alert about it at a time.' }),
    summary: Type.String({ description: 'What has happened, in a sentence.' }),
    project: nullable(Type.String(), 'The id of the project that it is about.'),
    value: Type.Number({ description: 'What was seen when the alert was opened.' }),
    threshold: Type.Number({ description: 'What it was compared with.' }),
    details: freeObject({ description: 'More about it; depends on the rule.' }),
    opened_at: timestamp('When it was opened; while it is pending, when the condition was seen first.'),
    resolved_at: nullable(moment, 'When it was over.'),
    acknowledged_at: nullable(moment, 'When a person acknowledged it.'),
    acknowledged_by: nullable(Type.String(), 'Who acknowledged it: `user:<id>`, `service:<id>`, `admin_key`.'),
  },
  { title: 'Alert', description: 'Something that operators are told about.' },
)
export type Alert = Static<typeof Alert>

export const AlertList = pageOf(Alert, {
  title: 'AlertList',
  description: 'Alerts, page by page.',
  items: 'The alerts, newest first.',
})
export type AlertList = Static<typeof AlertList>

const AlertRuleBody = Type.Object(
  {
    id: words([...ALERT_RULES], { description: 'Its name in `alerts.rules` of the config file.' }),
    title: Type.String({ description: 'Its name for people.' }),
    about: Type.String({ description: 'What it looks at.' }),
    on: Type.Boolean({ description: 'Whether it is switched on.' }),
    severity,
    threshold: nullable(Type.Number(), 'From which value on there is an alert. Null if the objects themselves say it.'),
    for_seconds: Type.Number({ description: 'How long the condition has to last.' }),
    clear_seconds: Type.Number({ description: 'How long it has to be over before the alert is resolved.' }),
  },
  { title: 'AlertRule', description: 'A rule as it is in use.' },
)

const AlertReceiver = Type.Object(
  {
    name: Type.String({ description: 'Its name in `alerts.receivers` of the config file.' }),
    format: words([...RECEIVER_FORMATS], { description: 'What it understands.' }),
    url: Type.String({ description: 'Where it is. The path may be a secret and is not shown.' }),
    rules: nullable(Type.Array(Type.String()), 'The rules that it is told about. Null for all of them.'),
    checkpoints: Type.Boolean({ description: 'Whether it gets the checkpoints of the audit log, too.' }),
  },
  { title: 'AlertReceiver', description: 'A receiver of the config file, without its secrets.' },
)

export const AlertRules = Type.Object(
  {
    rules: Type.Array(AlertRuleBody, { description: 'All rules.' }),
    receivers: Type.Array(AlertReceiver, { description: 'Who is told.' }),
  },
  { title: 'AlertRules', description: 'What is watched, and who is told.' },
)
export type AlertRules = Static<typeof AlertRules>

export const TestAlertRequest = Type.Object(
  { receiver: Type.String({ minLength: 1, maxLength: 100, description: 'The name of the receiver.' }) },
  { title: 'TestAlertRequest', description: 'Which receiver to try.', additionalProperties: false },
)
export type TestAlertRequest = Static<typeof TestAlertRequest>

export const TestAlertReply = Type.Object(
  {
    receiver: Type.String({ description: 'The name of the receiver.' }),
    delivered: Type.Boolean({ description: 'Whether it has accepted the test.' }),
    status: nullable(Type.Integer(), 'The status of its answer. Null if there was none.'),
    error: nullable(Type.String(), 'What went wrong.'),
  },
  { title: 'TestAlertReply', description: 'What became of the test.' },
)
export type TestAlertReply = Static<typeof TestAlertReply>
