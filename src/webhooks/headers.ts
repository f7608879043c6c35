const USER_AGENT = 'Gatehouse/Webhooks'

export type Signed = { id: string; signature: string; keyId: string }

/**
 * The last two are those of Standard Webhooks: an id that stays the same over all attempts, to recognise a repetition by,
 * and the time of this attempt in seconds. They are not part of what is signed.
 */
export function webhookHeaders({ id, signature, keyId }: Signed, attemptedAt: number): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Webhook': 'true',
    'X-Service-Signature': signature,
    'X-Service-Hash-Algorithm': 'SHA256',
    'X-Service-Key-Id': keyId,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(attemptedAt / 1_000)),
  }
}
