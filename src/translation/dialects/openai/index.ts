import type { Dialect } from '../dialect.ts'
import { images } from './images.ts'
import { problem } from './problem.ts'
import { decode } from './reply.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

export const openai: Dialect = { chat: { encode, decode, decoder, problem }, images }
