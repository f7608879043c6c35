import type { ServerResponse } from 'node:http'
import type { Behaviour } from './behaviours.ts'
import { failure, status } from './behaviours.ts'
import type { SeenRequest } from './provider.ts'
import { stream } from './stream.ts'

// OpenAI as it is: it refuses on each of its two endpoints what the real one refuses there.

type Fields = Record<string, unknown>

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 150,
}
const RESPONSES_FIELDS = new Set([
  ...[
    'model',
    'input',
    'instructions',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_output_tokens',
    'reasoning',
  ],
  ...['text', 'include', 'store', 'stream', 'temperature', 'top_p', 'top_logprobs', 'metadata', 'user', 'service_tier'],
  ...['truncation', 'prompt_cache_key', 'safety_identifier', 'max_tool_calls'],
])
const NOT_REASONING = /^gpt-4/
const REFUSES_TOOLS = /^gpt-(5\.[4-9]|6)/
const ONLY_RESPONSES = /-pro$|codex/
/** What it encrypted: no other text is accepted back. */
const ENCRYPTED = 'gAAAA-'

/** What the model says: a call of the first function until a result has come, a refusal for "evil", or text. */
export function strictOpenai(): Behaviour {
  return (request, response) => {
    const body = request.body as Fields
    const refused = request.path.endsWith('/responses') ? refusedByResponses(body) : refusedByChat(body)
    if (refused) return invalid(refused)(request, response)
    return request.path.endsWith('/responses') ? respond(body, request, response) : chat(request, response)
  }
}

function invalid(message: string): Behaviour {
  return failure(400, { message, type: 'invalid_request_error' })
}

function refusedByChat(body: Fields): string | undefined {
  const model = String(body.model)
  if (ONLY_RESPONSES.test(model)) return 'This is not a chat model and thus not supported in v1/chat/completions.'
  const thinks = body.reasoning_effort !== undefined && body.reasoning_effort !== 'none'
  if (REFUSES_TOOLS.test(model) && recordsOf(body.tools).length > 0 && thinks)
    return `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. Please use /v1/responses instead.`
  if (body.web_search_options) return 'Web search options not supported with this model.'
  const odd = recordsOf(body.tools).find(({ type }) => type !== 'function' && type !== 'custom')
  return odd && `Invalid value: '${odd.type}'. Supported values are: 'function' and 'custom'.`
}

function refusedByResponses(body: Fields): string | undefined {
  const unknown = Object.keys(body).find((field) => !RESPONSES_FIELDS.has(field))
  if (unknown) return `Unknown parameter: '${unknown}'.`
  if (typeof body.max_output_tokens === 'number' && body.max_output_tokens < 16)
    return "Invalid 'max_output_tokens': integer below minimum value."
  if (NOT_REASONING.test(String(body.model))) {
    if ((body.include as string[] | undefined)?.includes('reasoning.encrypted_content'))
      return 'Encrypted content is not supported with this model.'
    if (body.reasoning) return "Unsupported parameter: 'reasoning.effort' is not supported with this model."
  }
  const nested = recordsOf(body.tools).findIndex((tool) => tool.type === 'function' && !tool.name)
  if (nested >= 0) return `Missing required parameter: 'tools[${nested}].name'.`
  return refusedItem(recordsOf(body.input))
}

function refusedItem(items: Fields[]): string | undefined {
  const called = new Set(items.map(({ type, call_id }) => (String(type).endsWith('_call') ? call_id : undefined)))
  for (const { type, id, call_id, encrypted_content } of items) {
    if (type === 'item_reference') return `Item with id '${id}' not found. Items are not persisted.`
    if (String(type).endsWith('_call_output') && !called.has(call_id))
      return `No tool call found for function call output with call_id ${call_id}.`
    if (type !== 'reasoning') continue
    const [, ofItem] = String(encrypted_content).split(ENCRYPTED)
    if (ofItem === undefined) return 'The encrypted content could not be verified.'
    if (id !== undefined && id !== ofItem) return 'Encrypted content item_id did not match the target item id.'
  }
  return undefined
}

async function respond(body: Fields, request: SeenRequest, response: ServerResponse): Promise<void> {
  const output = outputFor(body)
  const whole = {
    id: 'resp_upstream',
    object: 'response',
    created_at: 1_760_000_000,
    model: body.model,
    status: 'completed',
    output,
    usage: USAGE,
  }
  if (!body.stream) return status(200, whole)(request, response)
  const begun = { ...whole, status: 'in_progress', output: [], usage: null }
  const events = [
    { type: 'response.created', response: begun },
    ...output.flatMap(eventsOf),
    { type: 'response.completed', response: whole },
  ]
  await stream(
    events.map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`),
    { end: 'clean', chunking: 'random', seed: 7 },
  )(request, response)
}

function outputFor(body: Fields): Fields[] {
  const items = recordsOf(body.input)
  const asked = JSON.stringify(items.at(-1) ?? body.input)
  const reasoning = (body.include as string[] | undefined)?.includes('reasoning.encrypted_content')
    ? [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: `${ENCRYPTED}rs_1` }]
    : []
  return [...reasoning, ...searched(body), said(asked, body)]
}

function searched({ tools }: Fields): Fields[] {
  const hasSearch = recordsOf(tools).some(({ type }) => type === 'web_search')
  return hasSearch ? [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }] : []
}

function said(asked: string, { tools, text }: Fields): Fields {
  const called = recordsOf(tools).find(({ type }) => type === 'function')
  if (called && !asked.includes('_call_output'))
    return { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: called.name, arguments: '{"city":"Paris"}' }
  const format = (text as { format?: Fields } | undefined)?.format
  const words = format?.type === 'json_schema' ? '{"answer":42}' : wordsFor(asked)
  const part = asked.includes('evil')
    ? { type: 'refusal', refusal: 'I will not.' }
    : { type: 'output_text', text: words, annotations: [] }
  return { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [part] }
}

function wordsFor(asked: string): string {
  const [, mail] = /"(Mail [^"]*)"/.exec(asked) ?? []
  if (mail) return `You said: ${mail}`
  return asked.includes('address') ? 'Write to ada@example.com.' : 'It is sunny.'
}

function eventsOf(item: Fields, output_index: number): (Fields & { type: string })[] {
  const place = { output_index, item_id: item.id }
  const begun = { type: 'response.output_item.added', output_index, item: { ...item, ...emptied(item) } }
  return [begun, ...insideOf(item, place), { type: 'response.output_item.done', output_index, item }]
}

function emptied({ type }: Fields): Fields {
  if (type === 'message') return { content: [] }
  return type === 'function_call' ? { arguments: '' } : {}
}

function insideOf({ type, arguments: json, content }: Fields, place: Fields): (Fields & { type: string })[] {
  if (type === 'function_call')
    return halves(String(json)).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta }))
  const [part] = recordsOf(content)
  if (!part) return []
  const [name, words] = part.type === 'refusal' ? ['refusal', part.refusal] : ['output_text', part.text]
  return halves(String(words)).map((delta) => ({ type: `response.${name}.delta`, ...place, content_index: 0, delta }))
}

function halves(words: string): string[] {
  return [words.slice(0, 5), words.slice(5)]
}

function chat(request: SeenRequest, response: ServerResponse) {
  const { model } = request.body as Fields
  const message = { role: 'assistant', content: 'A plain chat.' }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  return status(200, { id: 'c', object: 'chat.completion', created: 1, model, choices, usage })(request, response)
}

function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : []
}
