import { randomBytes } from 'node:crypto'

const TRACE_DIGITS = 32
const SPAN_DIGITS = 16
const NO_SPAN = '0'.repeat(SPAN_DIGITS)

/** Random digits are made for many ids at once: one by one they would cost more than the rest of a span. */
const POOL_BYTES = 2_048
let pool = ''
let used = 0

export function newTraceId(): string {
  return randomDigits(TRACE_DIGITS)
}

export function newSpanId(): string {
  const id = randomDigits(SPAN_DIGITS)
  return id === NO_SPAN ? newSpanId() : id
}

function randomDigits(count: number): string {
  if (used + count > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex')
    used = 0
  }
  used += count
  return pool.slice(used - count, used)
}
