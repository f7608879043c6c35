import type { Dialect } from './dialect.ts'
import { openai } from './openai/index.ts'

export const DIALECTS = { openai } satisfies Record<string, Dialect>

export type DialectName = keyof typeof DIALECTS

export const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[]
