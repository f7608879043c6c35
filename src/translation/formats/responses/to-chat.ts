import type { ChatRequest } from '../../../contract/chat.ts'
import type { Untranslatable } from '../../wire/native-ask.ts'
import type { ResponsesRequest } from '../../../contract/responses.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { Conversation } from './conversation.ts'
import { flatNames } from './namespaces.ts'
import { toolFields } from './tools.ts'
import { keepWritten } from '../../json/written-numbers.ts'

/** The same call in our own format, and the fields that our format cannot express. */
type Translated = { request: ChatRequest; untranslatable: Untranslatable[] }

/** Fields that mean the same in both formats. */
const SAME = [
  ...['model', 'fallbacks', 'router_candidates', 'routing', 'pre_hooks', 'post_hooks', 'extra_headers'],
  ...['cache_marks', 'temperature', 'top_p', 'parallel_tool_calls', 'user', 'service_tier'],
  ...['prompt_cache_key', 'safety_identifier'],
]
const LOGPROBS = 'message.output_text.logprobs'

export function toChat(body: ResponsesRequest, providers: readonly string[]): Translated {
  const conversation = new Conversation(providers, flatNames(body.tools))
  if (body.instructions) conversation.add({ role: 'system', content: body.instructions })
  for (const item of inputItems(body)) conversation.add(item)
  conversation.end()
  const untranslatable = conversation.untranslatable.map((type) => ({ field: 'input', type }))
  const request = {
    ...sameFields(body),
    messages: conversation.messages,
    ...toolFields(body, untranslatable),
    max_completion_tokens: body.max_output_tokens,
    reasoning_effort: effortOf(body),
    verbosity: recordOf(body.text).verbosity,
    response_format: formatOf(recordOf(recordOf(body.text).format)),
    ...(body.include?.includes(LOGPROBS) && { logprobs: true, top_logprobs: body.top_logprobs || undefined }),
    ...(body.stream && { stream: true, stream_options: { include_usage: true } }),
  }
  return { request: keepWritten(withoutNulls(request) as ChatRequest, body), untranslatable }
}

/** The input as items: a plain text is a user message. */
export function inputItems({ input }: Pick<ResponsesRequest, 'input'>): Fields[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : recordsIn(input)
}

function sameFields(body: Fields): Fields {
  return Object.fromEntries(SAME.map((field) => [field, body[field]]))
}

const EFFORTS: readonly unknown[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function effortOf({ reasoning }: ResponsesRequest): unknown {
  return EFFORTS.includes(reasoning?.effort) ? reasoning?.effort : undefined
}

function formatOf({ type, name, schema, strict, description }: Fields): Fields | undefined {
  if (type === 'json_object') return { type }
  if (type !== 'json_schema' || !isRecord(schema)) return undefined
  const named = { name: textOf(name) || 'answer', ...(description != null && { description }) }
  return { type, json_schema: { ...named, schema, ...(strict != null && { strict }) } }
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
