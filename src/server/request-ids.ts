import { randomBytes } from 'node:crypto'

/** An id is `req_`, a random part for this process, and a number. */
export function requestIds(): () => string {
  const own = randomBytes(9).toString('base64url')
  let number = 0
  return () => `req_${own}${(number++).toString(36).padStart(6, '0')}`
}
