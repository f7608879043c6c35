import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Receiver } from '../../../platform/config/alerts/alerts.ts'
import { type AlertEvent, testEvent } from '../alert-event.ts'
import { bytesOf } from '../messages.ts'
import { receiverRequest } from '../receiver-request.ts'
import { pagerdutyBody } from './pagerduty.ts'
import { slackBody } from './slack.ts'
import { teamsBody } from './teams.ts'

const FIRING: AlertEvent = {
  event: 'alert',
  alert_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  status: 'firing',
  rule: 'budget',
  title: 'Budget',
  severity: 'warning',
  summary: 'The budget <!channel> & [x](http://evil.example) has reached 80% of 50 USD.',
  subject: 'budget:research||0|0.8',
  project: 'research',
  value: 0.81,
  threshold: 0.8,
  details: { limit_id: 'research', spent: 40.5 },
  opened_at: '2026-11-16T20:00:00.000Z',
  resolved_at: null,
}
const RESOLVED: AlertEvent = { ...FIRING, status: 'resolved', resolved_at: '2026-12-01T00:00:00.000Z' }

test('Slack: names cannot mention a person or begin a link', () => {
  const summary = 'The budget &lt;!channel&gt; &amp; [x](http://evil.example) has reached 80% of 50 USD.'
  assert.deepEqual(slackBody(FIRING), {
    text: `Alert: Budget. ${summary}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `:warning: *Alert: Budget*\n${summary}` } },
      {
        type: 'context',
        elements: [
          {
            type: 'mrkdwn',
            text: 'warning · `budget` · since 2026-11-16T20:00:00.000Z · 3fa85f64-5717-4562-b3fc-2c963f66afa6',
          },
        ],
      },
    ],
  })
  const { text, blocks } = slackBody(RESOLVED)
  assert.equal(text, `Resolved: Budget. ${summary}`)
  assert.match(
    JSON.stringify(blocks),
    /:white_check_mark:.*from 2026-11-16T20:00:00\.000Z to 2026-12-01T00:00:00\.000Z/,
  )
})

test('Teams: a message with an adaptive card, as workflows expect it', () => {
  assert.deepEqual(teamsBody(FIRING), {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: 'Alert: Budget',
              weight: 'Bolder',
              size: 'Medium',
              color: 'Warning',
              wrap: true,
            },
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: FIRING.summary }] },
            {
              type: 'FactSet',
              facts: [
                { title: 'Severity', value: 'warning' },
                { title: 'Rule', value: 'budget' },
                { title: 'Since', value: '2026-11-16T20:00:00.000Z' },
                { title: 'Alert', value: FIRING.alert_id },
              ],
            },
          ],
        },
      },
    ],
  })
  assert.match(
    JSON.stringify(teamsBody(RESOLVED)),
    /"color":"Good".*"title":"Until","value":"2026-12-01T00:00:00\.000Z"/,
  )
})

test('PagerDuty: the end of an alert closes the incident that it has opened', () => {
  assert.deepEqual(pagerdutyBody(FIRING, 'the key'), {
    routing_key: 'the key',
    dedup_key: FIRING.alert_id,
    event_action: 'trigger',
    client: 'Gatehouse',
    payload: {
      summary: FIRING.summary,
      source: 'gatehouse',
      severity: 'warning',
      timestamp: '2026-11-16T20:00:00.000Z',
      component: 'budget:research||0|0.8',
      group: 'research',
      class: 'budget',
      custom_details: { value: 0.81, threshold: 0.8, limit_id: 'research', spent: 40.5 },
    },
  })
  assert.deepEqual(pagerdutyBody(RESOLVED, 'the key'), {
    routing_key: 'the key',
    dedup_key: FIRING.alert_id,
    event_action: 'resolve',
  })
})

test('only receivers of our own format get the signed bytes and our signatures', () => {
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': 'signature' }
  const body = bytesOf(FIRING)
  const receiver = (format: Receiver['format']): Receiver => {
    return { name: 'ops', format, url: 'https://x.example/y', routingKey: 'key', rules: null, checkpoints: false }
  }
  const own = receiverRequest(receiver('webhook'), { body, headers })
  assert.deepEqual(own, { method: 'POST', url: 'https://x.example/y', headers, body })
  for (const [format, expected] of [
    ['slack', slackBody(FIRING)],
    ['teams', teamsBody(FIRING)],
    ['pagerduty', pagerdutyBody(FIRING, 'key')],
  ] as const) {
    const sent = receiverRequest(receiver(format), { body, headers })
    assert.deepEqual(JSON.parse(String(sent.body)), JSON.parse(JSON.stringify(expected)))
    assert.deepEqual(Object.keys(sent.headers), ['Content-Type', 'User-Agent'])
  }
})

test('a test call says that it is one, in every format', () => {
  const event = testEvent({ id: 'some id', receiver: 'ops', now: 0 })
  assert.match(slackBody(event).text, /^Test call: Test\. This is a test of the receiver ops\./)
  assert.match(JSON.stringify(teamsBody(event)), /"text":"Test call: Test"/)
  assert.deepEqual(
    ['event_action' in pagerdutyBody(event, 'k'), pagerdutyBody(event, 'k').event_action],
    [true, 'trigger'],
  )
})
