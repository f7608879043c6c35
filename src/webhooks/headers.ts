const USER_AGENT = 'Gatehouse/Webhooks'

export type Signed = { id: string; signature: string; keyId: string }

/** The time of an attempt, in seconds since 1970, and the signature that covers it. */
export type SignedTime = { timestamp: number; timestampSignature: string }

/**
 * The last three are those of Standard Webhooks: an id that stays the same over all attempts, to recognise a repetition by,
 * the time of this attempt, and a signature of both and the body, so that an old webhook cannot be passed off as a new one.
 */
export function webhookHeaders(
  { id, signature, keyId }: Signed,
  { timestamp, timestampSignature }: SignedTime,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Webhook': 'true',
    'X-Service-Signature': signature,
    'X-Service-Hash-Algorithm': 'SHA256',
    'X-Service-Key-Id': keyId,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': timestampSignature,
  }
}
