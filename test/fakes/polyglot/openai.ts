import {
  type Answer,
  COUNTS,
  demand,
  type Fields,
  type ReceivedRequest,
  imageIn,
  onlyKnown,
  pieces,
  sse,
  type Wire,
} from './wire.ts'

type Message = {
  role: string
  content?: string | Fields[] | null
  tool_calls?: { id: string }[]
  tool_call_id?: string
}
type Tool = { type?: string; function?: { name: string }; custom?: { name: string } }
type Choice = { type?: string; function?: { name?: string } }
type Body = Fields & { model: string; messages: Message[]; stream?: boolean; tools?: Tool[] }

const KNOWN = `model messages stream stream_options tools tool_choice parallel_tool_calls response_format temperature
  max_tokens max_completion_tokens reasoning_effort user n top_p stop seed frequency_penalty presence_penalty logprobs
  top_logprobs logit_bias store metadata service_tier verbosity prompt_cache_key prompt_cache_retention safety_identifier
  modalities prediction`

export function openai(key: string): Wire {
  return {
    hear({ path, headers, body }) {
      if (path !== '/v1/chat/completions') return undefined
      demand(headers.authorization === `Bearer ${key}`, 'Incorrect API key provided.', 401)
      return received(body as Body)
    },
    whole: (answer, { model }) => ({
      ...head(model, 'chat.completion'),
      choices: [{ index: 0, message: messageOf(answer), logprobs: null, finish_reason: finishOf(answer) }],
      usage: usageOf(answer),
    }),
    frames,
    failure: (status, message) => ({ error: { message, type: 'error', param: null, code: `code_${status}` } }),
    tooLong:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    broken: (message) => sse({ error: { message, type: 'server_error', param: null, code: null } }),
    contentType: 'text/event-stream',
  }
}

function received(body: Body): ReceivedRequest {
  onlyKnown(body, KNOWN)
  demand(!body.stream_options || body.stream, 'stream_options: only with stream')
  const { model, messages, stream = false, tools = [], response_format } = body
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const said = partsOf(messages[last])
  const results = messages.slice(last).filter(({ role }) => role === 'tool')
  const open = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  for (const { tool_call_id } of results) demand(open.has(tool_call_id!), 'messages: a result without its call')
  return {
    model,
    stream,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join(' '),
    text: textOf(messages[last]),
    images: said.flatMap(({ image_url }) => (image_url ? [imageIn((image_url as Fields).url)] : [])),
    tools: tools.map(nameOf),
    forced: forcedBy(body.tool_choice),
    results: results.map((message) => ({ id: message.tool_call_id!, text: textOf(message) })),
    schema: (response_format as { json_schema?: { schema: unknown } } | undefined)?.json_schema?.schema,
    thinks: body.reasoning_effort !== undefined,
  }
}

// https://github.com/openai/openai-cookbook/issues/1248
function nameOf({ type, function: declared, custom }: Tool, at: number): string {
  demand(type !== undefined, `Missing required parameter: 'tools[${at}].type'.`)
  demand(
    type === 'function' || type === 'custom',
    `Invalid value: '${type}'. Supported values are: 'function' and 'custom'.`,
  )
  const named = type === 'custom' ? custom : declared
  demand(named !== undefined, `Missing required parameter: 'tools[${at}].${type}'.`)
  return named.name
}

// https://github.com/Azure/azure-sdk-for-js/issues/28325
function forcedBy(choice: unknown): string | undefined {
  if (typeof choice !== 'object' || choice === null) {
    demand([undefined, 'auto', 'none', 'required'].includes(choice as string), `Invalid value: '${choice}'.`)
    return undefined
  }
  const { type = '', function: named } = choice as Choice
  demand(['function', 'custom', 'allowed_tools'].includes(type), `Invalid value: '${type}' in 'tool_choice.type'.`)
  demand(type !== 'function' || named?.name !== undefined, "Missing required parameter: 'tool_choice.function'.")
  return named?.name
}

function partsOf(message: Message | undefined): Fields[] {
  return Array.isArray(message?.content) ? message.content : [{ text: message?.content ?? '' }]
}

function textOf(message: Message | undefined): string {
  return partsOf(message)
    .map(({ text }) => text ?? '')
    .join('')
}

function messageOf({ thinking, text, calls }: Answer): Fields {
  return {
    role: 'assistant',
    content: text.join('') || null,
    refusal: null,
    ...(thinking && { reasoning_content: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
  }
}

function frames(answer: Answer, { model }: ReceivedRequest): Uint8Array[] {
  const { thinking, text, calls } = answer
  const deltas: Fields[] = [
    { role: 'assistant', content: '' },
    ...(thinking ? [{ reasoning_content: thinking }] : []),
    ...text.map((content) => ({ content })),
    ...calls.flatMap(({ id, name, input }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...pieces(input).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ]
  const chunk = (delta: Fields, finish_reason: string | null = null) =>
    sse({ ...head(model, 'chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason }] })
  const counts = sse({ ...head(model, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) })
  const end = [chunk({}, finishOf(answer)), counts, Buffer.from('data: [DONE]\n\n')]
  return [...deltas.map((delta) => chunk(delta)), ...end]
}

function head(model: string, object: string): Fields {
  return { id: 'chatcmpl-fake', object, created: 1_750_000_000, model }
}

function finishOf({ calls }: Answer): string {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function usageOf({ thinking }: Answer): Fields {
  const { read, cached, written, thought: reasoning } = COUNTS
  return {
    prompt_tokens: read,
    completion_tokens: written,
    total_tokens: read + written,
    prompt_tokens_details: { cached_tokens: cached },
    ...(thinking && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
