// PostgreSQL reads no JSON with these in it: NUL, and half a surrogate pair. Neither an insert nor a query could go on.

const REFUSED = /\\u(?:0000|d[89a-f])/
/** One at a time, so that an escaped backslash before a `u` is not taken for the beginning of another one. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g

/** JSON that a statement can read, whatever is in its names and values. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  // Nearly all have no escape at all, and that is found faster.
  if (!text.includes('\\u') || !REFUSED.test(text)) return text
  return text.replaceAll(ESCAPE, (found) => (REFUSED.test(found) ? '\\ufffd' : found))
}
