import type { Note } from '../../dialects/chat-codec.ts'
import type { NativeAsk } from '../../contract/native-call.ts'
import { isRecord } from '../../schema/record.ts'
import type { NativeCall } from '../native-codec.ts'

/** What a caller is told whose answer may be shorter than it asked for. */
export function loweredNote(max: number): Note {
  return { field: 'max_tokens', action: 'lowered', reason: `a budget can pay for ${max} tokens of this answer` }
}

/** The same chat with shorter answers, in whatever format it is sent. A changed request loses its source text. */
export function lowerOutput({ request, native }: NativeCall, max: number): NativeCall {
  const { max_tokens, max_completion_tokens: _, extra_body, ...rest } = request
  const name = max_tokens == null ? 'max_completion_tokens' : 'max_tokens'
  const extra = isRecord(extra_body) ? { extra_body: withoutLengths(extra_body) } : {}
  const lowered = { ...rest, ...extra, [name]: max } as NativeCall['request']
  return native ? { request: lowered, native: lowerNative(native, max) } : { request: lowered }
}

const LENGTHS: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
])

function withoutLengths(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !LENGTHS.has(name)))
}

function lowerNative({ write: _, ...native }: NativeAsk, max: number): NativeAsk {
  const { body } = native
  if (native.format === 'messages' || native.format === 'completions')
    return { ...native, body: { ...body, max_tokens: max } }
  if (native.format === 'responses') return { ...native, body: { ...body, max_output_tokens: max } }
  const config = isRecord(body.generationConfig) ? body.generationConfig : {}
  return { ...native, body: { ...body, generationConfig: { ...config, maxOutputTokens: max } } }
}
