import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const HOST_CHARS = 64
const RANDOM_BYTES = 3

/** A name for this process that no other process has, and that says where it runs. */
export function processName(): string {
  const host =
    hostname()
      .replace(/[^\w.-]/g, '_')
      .slice(0, HOST_CHARS) || 'host'
  return `${host}-${process.pid}-${randomBytes(RANDOM_BYTES).toString('hex')}`
}
