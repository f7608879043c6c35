import type { Dialect } from '../dialect.ts'
import { problem } from './problem.ts'
import { decode } from './reply.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

/** Converse and ConverseStream of Amazon Bedrock: one wire format for the models of many vendors. */
export const bedrock: Dialect = {
  chat: { choices: 'one', images: 'bytes', framing: 'aws-event-stream', encode, decode, decoder, problem },
}
