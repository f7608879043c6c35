import type { Receiver } from '../../platform/config/alerts/alerts.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import type { AlertEvent } from './alert-event.ts'
import { pagerdutyBody } from './formats/pagerduty.ts'
import { slackBody } from './formats/slack.ts'
import { teamsBody } from './formats/teams.ts'

/** A message as it is stored: the event as canonical JSON, and the headers that sign these bytes. */
export type Message = { body: Uint8Array; headers: Record<string, string> }

/**
 * The request to a receiver. The address and the routing key come from the configuration of this moment: neither is in the
 * store. Only receivers of our own format get our signatures, because the others do not look at them.
 */
export function receiverRequest(receiver: Receiver, { body, headers }: Message): WireRequest {
  const { url, format } = receiver
  if (format === 'webhook') return { method: 'POST', url, headers, body }
  const event = JSON.parse(new TextDecoder().decode(body)) as AlertEvent
  return { method: 'POST', url, headers: PLAIN_HEADERS, body: JSON.stringify(bodyFor(receiver, event)) }
}

const PLAIN_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': 'Gatehouse/Alerts' }

function bodyFor({ format, routingKey = '' }: Receiver, event: AlertEvent): object {
  if (format === 'slack') return slackBody(event)
  return format === 'teams' ? teamsBody(event) : pagerdutyBody(event, routingKey)
}
