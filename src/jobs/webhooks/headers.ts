const USER_AGENT = 'Gatehouse/Webhooks'

export type Signed = { id: string; signature: string; keyId: string }

/** The time of an attempt, in seconds since 1970, and the signature that covers it. */
type SignedTime = { timestamp: number; timestampSignature: string }

/**
 * The last three headers are defined by Standard Webhooks: an id that is the same for all attempts, so that a receiver
 * recognizes repetitions; the time of this attempt; and a signature of both and the body, so that an attacker cannot replay
 * an old webhook.
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
    // The same under the names of the hosted original, whose receivers look for them.
    'X-Edenai-Webhook': 'true',
    'X-Edenai-Signature': signature,
    'X-Edenai-Hash-Algorithm': 'SHA256',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': timestampSignature,
  }
}
