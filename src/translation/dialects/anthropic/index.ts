import type { Dialect } from '../dialect.ts'
import { problem } from './problem.ts'
import { decode } from './reply.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

export const anthropic: Dialect = {
  chat: { choices: 'one', texts: 'read', countsSearches: true, encode, decode, decoder, problem },
}
