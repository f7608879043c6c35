import type { Dialect } from './dialect.ts'
import { anthropic } from './anthropic/index.ts'
import { bedrock } from './bedrock/index.ts'
import { cohere } from './cohere/index.ts'
import { gemini } from './gemini/index.ts'
import { openai } from './openai/index.ts'

export const DIALECTS = { openai, anthropic, gemini, bedrock, cohere } satisfies Record<string, Dialect>

export type DialectName = keyof typeof DIALECTS

export const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[]
