import { createRequire } from 'node:module'

// Three of undici's files, by their place in the package, whose version is fixed. Its index loads a fetch, web sockets,
// caches and mocks as well, which nobody here needs: 87 more modules to be loaded at every start.

type Undici = typeof import('undici')

const load = createRequire(import.meta.url)

export const Agent = load('undici/lib/dispatcher/agent.js') as Undici['Agent']
export const Client = load('undici/lib/dispatcher/client.js') as Undici['Client']
export const errors = load('undici/lib/core/errors.js') as Undici['errors']
