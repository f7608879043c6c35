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

type Message = { role: string; content?: string | Fields[]; tool_calls?: { id: string }[]; tool_call_id?: string }
type Body = Fields & { model: string; messages: Message[]; tools?: { function: { name: string } }[] }

const KNOWN = `model messages stream tools tool_choice strict_tools documents response_format max_tokens temperature p k
  stop_sequences seed thinking logprobs frequency_penalty presence_penalty safety_mode citation_options priority`

export function cohere(key: string): Wire {
  return {
    hear({ path, headers, body }) {
      if (path !== '/v2/chat') return undefined
      demand(headers.authorization === `Bearer ${key}`, 'invalid api token', 401)
      return received(body as Body)
    },
    whole: (answer) => ({
      id: 'c14c80c3',
      finish_reason: finishOf(answer),
      message: messageOf(answer),
      usage: usage(),
    }),
    frames,
    failure: (_, message) => ({ id: 'c14c80c3', message }),
    tooLong: 'too many tokens: total number of tokens in the prompt cannot exceed 256000 - received 300000. Try again.',
    broken: (message) => sse({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } }, 'message-end'),
    contentType: 'text/event-stream',
  }
}

function received(body: Body): ReceivedRequest {
  onlyKnown(body, KNOWN)
  const { model, messages, tools = [], stream, response_format, thinking } = body
  demand(typeof stream === 'boolean', 'stream: has to be said')
  demand(!response_format || tools.length === 0, 'response_format: not together with tools')
  for (const { role, content, tool_calls } of messages) {
    demand(['system', 'user', 'assistant', 'tool'].includes(role), `messages: no role ${role}`)
    demand(!tool_calls || content === undefined, 'messages: no content beside tool_calls')
  }
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages.slice(last).filter(({ role }) => role === 'tool')
  const open = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  for (const { tool_call_id } of results)
    demand(open.has(tool_call_id!), 'tool_call_id not found in previous tool calls')
  const said = messages[last]?.content ?? ''
  const parts: Fields[] = typeof said === 'string' ? [{ text: said }] : said
  return {
    model,
    stream,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join(' '),
    text: parts.map(({ text }) => text ?? '').join(''),
    images: parts.flatMap(({ image_url }) => (image_url ? [imageIn((image_url as Fields).url)] : [])),
    tools: tools.map(({ function: declared }) => declared.name),
    results: results.map(({ tool_call_id, content }) => ({ id: tool_call_id!, text: String(content) })),
    schema: (response_format as { json_schema?: unknown } | undefined)?.json_schema,
    thinks: (thinking as { type?: string } | undefined)?.type === 'enabled',
  }
}

function messageOf({ thinking, text, calls }: Answer): Fields {
  const content = [
    ...(thinking ? [{ type: 'thinking', thinking }] : []),
    ...(text.length > 0 ? [{ type: 'text', text: text.join('') }] : []),
  ]
  return {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => callOf(id, name, JSON.stringify(input))),
    }),
  }
}

function frames(answer: Answer): Uint8Array[] {
  const { thinking, text, calls } = answer
  const event = (type: string, fields: Fields) => sse({ type, ...fields }, type)
  const piece = (type: string, index: number, message: Fields) => event(type, { index, delta: { message } })
  const block = (index: number, kind: string, texts: string[]) => [
    piece('content-start', index, { content: { type: kind, [kind]: '' } }),
    ...texts.map((words) => piece('content-delta', index, { content: { [kind]: words } })),
    event('content-end', { index }),
  ]
  return [
    event('message-start', { id: 'c14c80c3', delta: { message: { role: 'assistant', content: [], tool_calls: [] } } }),
    ...(thinking ? block(0, 'thinking', [thinking]) : []),
    ...(text.length > 0 ? block(thinking ? 1 : 0, 'text', text) : []),
    ...calls.flatMap(({ id, name, input }, index) => [
      piece('tool-call-start', index, { tool_calls: callOf(id, name, '') }),
      ...pieces(input).map((json) =>
        piece('tool-call-delta', index, { tool_calls: { function: { arguments: json } } }),
      ),
      event('tool-call-end', { index }),
    ]),
    event('message-end', { delta: { finish_reason: finishOf(answer), usage: usage() } }),
  ]
}

function callOf(id: string, name: string, json: string): Fields {
  return { id, type: 'function', function: { name, arguments: json } }
}

function finishOf({ calls }: Answer): string {
  return calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE'
}

function usage(): Fields {
  const { read, cached, written } = COUNTS
  const billed_units = { input_tokens: read - 1, output_tokens: written }
  return { billed_units, tokens: { input_tokens: read, output_tokens: written }, cached_tokens: cached }
}
