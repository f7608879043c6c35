import { createHash } from 'node:crypto'
import { shortIds } from '../../../../tenants/projects/short-id.ts'

// Ids here for what has an id at the source. They depend on the id at the source alone, so that an import again finds what
// the first one has made, also if it was renamed since.

/** In the form of other ids. */
export function uuidOf(kind: string, id: string): string {
  const hex = hashOf(kind, id)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-')
}

/** A readable id with an end that depends on the source. `existing` are the ids that are here already. */
export function namedId(kind: string, { id, name }: { id: string; name: string }, existing: readonly string[]): string {
  const end = `-${shortHash(kind, id)}`
  return existing.find((one) => one.endsWith(end)) ?? `${shortIds(name, 1).next().value}${end}`
}

export function shortHash(kind: string, id: string): string {
  return hashOf(kind, id).slice(0, 10)
}

function hashOf(kind: string, id: string): string {
  return createHash('sha256').update(`litellm ${kind} ${id}`).digest('hex')
}
