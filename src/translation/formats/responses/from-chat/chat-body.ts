import type { ChatRequest } from '../../../../contract/chat.ts'
import type { Target } from '../../../dialects/chat-codec.ts'
import type { Notes } from '../../../dialects/notes.ts'
import { maxAnswerTokens } from '../../../dialects/request/answer-limits.ts'
import { requestFields, THINKER_REFUSES } from '../../../dialects/request/request-fields.ts'
import { toThinking } from '../../../dialects/openai/thinking.ts'
import { type Fields, isRecord, recordOf } from '../../../../base/schema/record.ts'
import { itemsOfMessages } from './chat-items.ts'
import { toolsOfChat } from './chat-tools.ts'
import { refuseLacking } from './lacking-fields.ts'
import { keepWritten } from '../../../json/written-numbers.ts'

/** The endpoint refuses a lower limit. */
const MIN_OUTPUT_TOKENS = 16
const LOGPROBS = 'message.output_text.logprobs'

/** Fields that are written in another way here, or that say nothing here. */
const TRANSLATED: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'tools', 'tool_choice', 'functions', 'function_call', 'web_search_options'],
  ...['max_tokens', 'max_completion_tokens', 'reasoning_effort', 'thinking', 'verbosity', 'response_format'],
  ...['logprobs', 'top_logprobs', 'n', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'logit_bias'],
  ...['modalities', 'audio', 'prediction', 'store', 'stream_options', 'image_config'],
])

/**
 * A chat as the body of this format, for this provider. What the format cannot express is refused with its name, or noted.
 */
export function bodyOfChat(request: ChatRequest, target: Target, provider: string, notes: Notes): Fields {
  refuseLacking(request)
  const { fieldRules: _, ...plain } = target
  const fields = requestFields(request, plain, notes)
  const { reasoning, thinks } = thinkingOf(request, plain, notes)
  if (thinks) dropWhileThinking(fields, target, notes)
  if ((request as Fields).store) notes.dropped('store', 'nothing is stored at the provider')
  if (request.image_config) notes.dropped('image_config', 'this provider has no such field')
  const body = withoutUndefined({
    ...Object.fromEntries(Object.entries(fields).filter(([field]) => !TRANSLATED.has(field))),
    input: itemsOfMessages(request.messages, provider, notes),
    ...toolsOfChat(fields, notes),
    max_output_tokens: outputTokens(request, notes),
    reasoning,
    text: textOf(fields),
    ...(fields.logprobs && { include: [LOGPROBS], top_logprobs: fields.top_logprobs }),
    ...request.extra_body,
  })
  return keepWritten(body, request)
}

function thinkingOf(request: ChatRequest, target: Target, notes: Notes) {
  const { traits: { lacks: _, chatRefuses: __, ...traits } = {} } = target
  const { fields, thinks } = toThinking(request, { ...target, traits }, notes)
  const summary = request.thinking?.includeThoughts ?? request.thinking?.include_thoughts
  const reasoning = {
    ...(fields.reasoning_effort !== undefined && { effort: fields.reasoning_effort }),
    ...(summary === true && { summary: 'auto' }),
  }
  return { thinks, reasoning: Object.keys(reasoning).length > 0 ? reasoning : undefined }
}

function dropWhileThinking(fields: Fields, { traits }: Target, notes: Notes): void {
  for (const field of traits?.refusesWhileThinking ?? []) {
    if (fields[field] == null) continue
    delete fields[field]
    notes.dropped(field, THINKER_REFUSES)
  }
}

function outputTokens(request: ChatRequest, notes: Notes): number | undefined {
  const limit = maxAnswerTokens(request)
  if (limit === undefined || limit >= MIN_OUTPUT_TOKENS) return limit
  notes.translated(
    request.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens',
    `the responses endpoint allows no less than ${MIN_OUTPUT_TOKENS}`,
  )
  return MIN_OUTPUT_TOKENS
}

function textOf({ response_format, verbosity }: Fields): Fields | undefined {
  const format = formatOf(recordOf(response_format))
  if (!format && verbosity === undefined) return undefined
  return { ...(format && { format }), ...(verbosity !== undefined && { verbosity }) }
}

function formatOf({ type, json_schema }: Fields): Fields | undefined {
  if (type === 'json_object') return { type }
  if (type !== 'json_schema' || !isRecord(json_schema)) return undefined
  return { type, ...json_schema, strict: json_schema.strict ?? false }
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
