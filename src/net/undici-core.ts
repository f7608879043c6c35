import { createRequire } from 'node:module'

type Undici = typeof import('undici')

const load = createRequire(import.meta.url)

/**
 * One file of undici by its place in the package, whose version is fixed, when the first address is fetched: its index
 * loads a fetch, web sockets, caches and mocks as well, which nobody here needs.
 */
export function undiciClient(): Undici['Client'] {
  return load('undici/lib/dispatcher/client.js')
}
