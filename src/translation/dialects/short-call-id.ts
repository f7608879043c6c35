import { createHash } from 'node:crypto'

const SHORT_ID = /^[a-zA-Z0-9]{9}$/

/**
 * Mistral's models accept ids of nine letters and digits: others become a digest, the same in the call and in its result.
 */
export function shortCallId(id: string): string {
  return SHORT_ID.test(id) ? id : digestOf(id).slice(0, 9)
}

export function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
