import { createHmac } from 'node:crypto'

/** What is signed: the bytes of the body, an id and the time in seconds since 1970. */
type Signed = { id: string; timestamp: number; body: string }

/**
 * The headers that prove to a service of the operator who asks: those of Standard Webhooks with a shared secret, as the libraries that
 * verify webhooks know them. A secret that begins with `whsec_` is base64; any other is used as it is.
 */
export function signatureHeaders(secret: string, { id, timestamp, body }: Signed): Record<string, string> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
