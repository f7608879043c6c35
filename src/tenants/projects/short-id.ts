import { randomBytes } from 'node:crypto'

const MAX_CHARS = 60
const MAX_READABLE = 50
const RANDOM_BYTES = 4

/** Readable ids for a name: the first one that is free is taken. `Équipe n° 7` becomes `equipe-n-7`, then `equipe-n-7-2`. */
export function* shortIds(name: string, most: number): Generator<string> {
  const id = readable(name)
  yield id
  for (let number = 2; number <= most; number++) yield `${id}-${number}`
}

/** A readable id that says nothing about which others there are. */
export function unguessableId(name: string): string {
  return `${readable(name).slice(0, MAX_READABLE)}-${randomBytes(RANDOM_BYTES).toString('hex')}`
}

function readable(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, '-').slice(0, MAX_CHARS)
  return words.replace(/^-+|-+$/g, '') || 'unnamed'
}
