import type { Dialect } from '../dialect.ts'
import { problem } from './problem.ts'
import { decode } from './reply.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

/** Cohere's own chat, version 2. The address of a provider ends in `/v2`. */
export const cohere: Dialect = { chat: { choices: 'one', texts: 'read', encode, decode, decoder, problem } }
