import type { AlertEvent } from '../alert-event.ts'
import { STATUS_WORDS } from './slack.ts'

const MAX_CHARS = 2_500
const COLORS: Record<AlertEvent['severity'], string> = {
  info: 'Accent',
  warning: 'Warning',
  error: 'Attention',
  critical: 'Attention',
}

/** The body that a Teams workflow for webhook requests expects: a message with one adaptive card. */
export function teamsBody(event: AlertEvent) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [headOf(event), { type: 'RichTextBlock', inlines: [runOf(event.summary)] }, factsOf(event)],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

function headOf({ status, severity, title }: AlertEvent) {
  const color = status === 'resolved' ? 'Good' : COLORS[severity]
  return {
    type: 'TextBlock',
    text: `${STATUS_WORDS[status]}: ${title}`,
    weight: 'Bolder',
    size: 'Medium',
    color,
    wrap: true,
  }
}

/** A run is shown as it is. A text block would read Markdown, and names in a summary are chosen by users. */
function runOf(summary: string) {
  return { type: 'TextRun', text: summary.slice(0, MAX_CHARS).toWellFormed() }
}

function factsOf({ severity, rule, opened_at, resolved_at, alert_id }: AlertEvent) {
  const facts = [
    { title: 'Severity', value: severity },
    { title: 'Rule', value: rule },
    { title: 'Since', value: opened_at },
    ...(resolved_at === null ? [] : [{ title: 'Until', value: resolved_at }]),
    { title: 'Alert', value: alert_id },
  ]
  return { type: 'FactSet', facts }
}
