// Verifies a Gatehouse webhook in Node. Needs no package.

import { createHash, verify as verifyRsa } from 'node:crypto'

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
  return verifyRsa('RSA-SHA256', Buffer.from(digest), publicKeyPem, Buffer.from(signature, 'hex'))
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
