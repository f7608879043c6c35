import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'

const TRACE_BYTES = 16
const SPAN_BYTES = 8
const NO_SPAN = '0'.repeat(2 * SPAN_BYTES)

/** Random bytes are fetched for many ids at once: one by one they would cost more than the rest of a span. */
const pool = Buffer.alloc(8_192)
let used = pool.length

export function newTraceId(): string {
  return randomHex(TRACE_BYTES)
}

export function newSpanId(): string {
  const id = randomHex(SPAN_BYTES)
  return id === NO_SPAN ? newSpanId() : id
}

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}
