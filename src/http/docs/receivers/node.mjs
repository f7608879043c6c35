// Verifies a Gatehouse webhook in Node. Needs no package.

import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'

/**
 * The way that always works: over the body as it arrived, before any JSON parser touched it.
 * In Express that is `express.raw({ type: 'application/json' })`.
 *
 *   if (!verify(request.body, request.get('X-Service-Signature'), publicKeyPem)) return response.sendStatus(401)
 *   const payload = JSON.parse(request.body)
 */
export function verify(rawBody, signature, publicKeyPem) {
  if (!/^([0-9a-f]{2})+$/.test(signature)) return false
  const digest = createHash('sha256').update(rawBody).digest('hex')
  return verifySignature('RSA-SHA256', Buffer.from(digest), publicKeyPem, Buffer.from(signature, 'hex'))
}

/**
 * The second signature covers the time as well: with it, a webhook that an attacker recorded is refused after five minutes.
 * `headers` have small letters, as Node has them; `publicKey` is the `whpk_…` of GET /v3/webhooks/public-key/ed25519.
 * Remember `webhook-id` for as long, and refuse one that comes again after you have answered it with 2xx.
 */
export function verifyTimestamped(rawBody, headers, publicKey, nowSeconds = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!/^\d+$/.test(timestamp) || Math.abs(nowSeconds - timestamp) > 300) return false
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(rawBody)])
  const key = ed25519Key(publicKey)
  return signatures.split(' ').some((signature) => {
    const [version, base64 = ''] = signature.split(',')
    return version === 'v1a' && verifySignature(null, content, key, Buffer.from(base64, 'base64'))
  })
}

function ed25519Key(publicKey) {
  const raw = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64')
  const x = raw.toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/**
 * For when the raw body is gone and only the parsed payload is left: writes the same bytes again.
 * Fails for payloads that hold integers beyond 2^53, or object keys with emoji beside keys from U+E000 to U+FFFF.
 */
export function verifyParsed(payload, signature, publicKeyPem) {
  return verify(canonicalJson(payload), signature, publicKeyPem)
}

/** Sorted keys, two spaces of indent. `JSON.stringify(payload, null, 2)` would keep the order of the keys. */
export function canonicalJson(value, indent = '') {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const items = Array.isArray(value)
    ? value.map((item) => inner + canonicalJson(item, inner))
    : Object.keys(value)
        .sort()
        .map((key) => `${inner}${JSON.stringify(key)}: ${canonicalJson(value[key], inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return items.length === 0 ? open + close : `${open}\n${items.join(',\n')}\n${indent}${close}`
}
