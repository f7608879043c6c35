import type { Note } from '../../../translation/dialects/chat-codec.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import type { AskedChat } from '../native-codec.ts'
import { LENGTHS, SETTINGS } from './answer-bounds.ts'
import { keepWritten } from '../../../translation/json/written-numbers.ts'

/** What a caller is told whose answer may be shorter than it asked for, or than the model could give. */
export function loweredNote(max: number): Note {
  return {
    field: 'max_tokens',
    action: 'lowered',
    reason: `limits have reserved ${max} tokens for this answer, so it can be no longer`,
  }
}

/** The same chat with shorter answers, in whatever format it is sent. A changed request loses its source text. */
export function lowerOutput({ request, native }: AskedChat, max: number): AskedChat {
  const { extra_body, ...rest } = request
  const name = request.max_tokens == null ? 'max_completion_tokens' : 'max_tokens'
  const extra = isRecord(extra_body) ? { extra_body: withoutLengths(extra_body) } : {}
  const lowered = { ...withoutLengths(rest), ...extra, [name]: max } as AskedChat['request']
  return native ? { request: lowered, native: lowerNative(native, max) } : { request: lowered }
}

/** Also without those in settings: one that is left could replace the new one. */
function withoutLengths(fields: Fields): Fields {
  const rest = without(fields, NAMES)
  for (const name of SETTINGS) if (isRecord(rest[name])) rest[name] = without(rest[name], NAMES)
  return rest
}

const NAMES: ReadonlySet<string> = new Set(LENGTHS)

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return keepWritten(Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name))), fields)
}

const OF_MAX_TOKENS: ReadonlySet<NativeAsk['format']> = new Set(['messages', 'completions', 'cohere'])

function lowerNative({ write: _, ...native }: NativeAsk, max: number): NativeAsk {
  const body = withoutLengths(native.body)
  if (OF_MAX_TOKENS.has(native.format)) return { ...native, body: { ...body, max_tokens: max } }
  if (native.format === 'responses') return { ...native, body: { ...body, max_output_tokens: max } }
  const config = isRecord(body.generationConfig) ? body.generationConfig : {}
  return { ...native, body: { ...body, generationConfig: { ...config, maxOutputTokens: max } } }
}
