import { createHmac } from 'node:crypto'
import { isRecord, listOf, textOf } from '../../../src/base/schema/record.ts'
import { ATTACK, EMAIL, Refused, SECRET, service } from './service.ts'

/** A service of an operator: it refuses requests that are not signed with the shared secret. */
export const ownService = service((body, { headers, text }) => {
  const content = `${textOf(headers['webhook-id'])}.${textOf(headers['webhook-timestamp'])}.${text}`
  const signature = `v1,${createHmac('sha256', SECRET).update(content).digest('base64')}`
  if (headers['webhook-signature'] !== signature) throw new Refused(401, { error: 'The signature is wrong.' })
  const texts = listOf(body.texts).map((one) => (isRecord(one) ? textOf(one.text) : ''))
  if (texts.some((one) => one.includes(ATTACK))) return { action: 'block', reasons: ['attack'] }
  if (!texts.some((one) => one.includes(EMAIL))) return { action: 'allow' }
  return {
    action: 'redact',
    texts: texts.map((one) => one.replaceAll(EMAIL, '<email>')),
    reasons: ['email'],
    holdback_chars: texts.map(() => 3),
  }
})

/** A vendor that speaks the generic contract. */
export const litellmService = service((body, { path, headers }) => {
  if (path !== '/api/beta/litellm_basic_guardrail_api') throw new Refused(404, { detail: 'Not Found' })
  if (headers['x-api-key'] !== SECRET) throw new Refused(401, { detail: 'Unauthorized' })
  if (body.input_type !== 'request' && body.input_type !== 'response') throw new Refused(422, { detail: 'input_type' })
  if (!isRecord(body.request_data) || !isRecord(body.additional_provider_specific_params))
    throw new Refused(422, { detail: 'request_data' })
  const texts = listOf(body.texts).map(textOf)
  if (texts.some((one) => one.includes(ATTACK)))
    return { action: 'BLOCKED', blocked_reason: `The text says "${ATTACK}".` }
  if (!texts.some((one) => one.includes(EMAIL))) return { action: 'NONE' }
  return {
    action: 'GUARDRAIL_INTERVENED',
    texts: texts.map((one) => one.replaceAll(EMAIL, '<email>')),
    stream_holdback_chars: texts.map(() => 5),
  }
})
