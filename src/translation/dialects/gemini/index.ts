import type { Dialect } from '../dialect.ts'
import { problem } from './problem.ts'
import { decode } from './reply.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

/** Google's generateContent, at AI Studio and at Vertex AI. */
export const gemini: Dialect = {
  chat: { choices: 'many when whole', countsSearches: true, encode, decode, decoder, problem },
}
