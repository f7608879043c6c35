import type { Dialect } from '../dialect.ts'
import { problem } from './problem.ts'
import { decode } from './reply.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

/** Version 2 of Cohere's own chat API. The base URL of a provider ends in `/v2`. */
export const cohere: Dialect = { chat: { choices: 'one', texts: 'read', encode, decode, decoder, problem } }
