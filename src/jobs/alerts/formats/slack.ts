import type { AlertEvent } from '../alert-event.ts'

const MAX_CHARS = 2_500
const SIGNS: Record<AlertEvent['severity'], string> = {
  info: ':information_source:',
  warning: ':warning:',
  error: ':red_circle:',
  critical: ':rotating_light:',
}

/** The body of an incoming webhook of Slack. `text` is what notifications show. */
export function slackBody(event: AlertEvent) {
  const { status, severity, title, summary, rule, alert_id, opened_at, resolved_at } = event
  const sign = status === 'resolved' ? ':white_check_mark:' : SIGNS[severity]
  const head = `${STATUS_WORDS[status]}: ${title}`
  const when = resolved_at === null ? `since ${opened_at}` : `from ${opened_at} to ${resolved_at}`
  return {
    text: plain(`${head}. ${summary}`),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `${sign} *${plain(head)}*\n${plain(summary)}` } },
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: `${severity} · \`${plain(rule)}\` · ${when} · ${plain(alert_id)}` }],
      },
    ],
  }
}

export const STATUS_WORDS: Record<AlertEvent['status'], string> = {
  firing: 'Alert',
  resolved: 'Resolved',
  test: 'Test call',
}

/** These three characters begin links and mentions; names in a summary are chosen by users. */
function plain(text: string): string {
  const escaped = text.slice(0, MAX_CHARS).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return escaped.replaceAll('>', '&gt;').toWellFormed()
}
