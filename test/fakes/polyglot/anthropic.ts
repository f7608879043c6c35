import {
  type Answer,
  bytesIn,
  COUNTS,
  demand,
  type Fields,
  type ReceivedRequest,
  onlyKnown,
  pieces,
  SEAL,
  sse,
  alternatesRoles,
  type Wire,
} from './wire.ts'

type Block = Fields & { type: string }
type Said = { role: string; content: Block[] | string }
type Body = Fields & { model: string; messages: Said[]; tools?: { name: string }[] }

const KNOWN = `model messages system max_tokens stream tools tool_choice thinking output_config temperature top_p
  top_k stop_sequences metadata service_tier cache_control container inference_geo`
/** What it accepts only with a beta header. */
const OF_BETAS = 'context_management output_format speed'

export function anthropic(key: string): Wire {
  return {
    hear({ path, headers, body }) {
      if (path !== '/v1/messages') return undefined
      demand(headers['x-api-key'] === key, 'invalid x-api-key', 401)
      const version = String(headers['anthropic-version'])
      demand(/^20\d\d-\d\d-\d\d$/.test(version), 'anthropic-version: header is required')
      return received(body as Body, headers['anthropic-beta'] === undefined ? KNOWN : `${KNOWN} ${OF_BETAS}`)
    },
    whole: (answer, { model }) => ({
      ...messageHead(model),
      content: blocksOf(answer),
      stop_reason: stopOf(answer),
      usage: { ...readCounts(), ...writtenCounts(answer) },
    }),
    frames,
    failure: (status, message) => ({ type: 'error', error: { type: `error_${status}`, message }, request_id: 'req_1' }),
    tooLong: 'prompt is too long: 212000 tokens > 200000 maximum',
    broken: (message) => sse({ type: 'error', error: { type: 'overloaded_error', message } }, 'error'),
    contentType: 'text/event-stream; charset=utf-8',
  }
}

function received(body: Body, known: string): ReceivedRequest {
  onlyKnown(body, known)
  const { model, tools = [], system, stream, thinking, output_config } = body
  // With a beta, instructions may stand between the turns.
  const turns = known === KNOWN ? body.messages : body.messages.filter(({ role }) => role !== 'system')
  const messages = turns.map(({ role, content }) => ({ role, content: blocksIn(content) }))
  demand(Number.isInteger(body.max_tokens) && Number(body.max_tokens) > 0, 'max_tokens: Field required')
  alternatesRoles(
    messages.map(({ role }) => role),
    'assistant',
  )
  for (const { content } of messages)
    for (const { type, text } of content)
      demand(type !== 'text' || /\S/.test(String(text)), 'text content blocks must be non-empty')
  checkThinking(thinking as Fields | undefined)
  checkCalls(messages, thinking as { type?: string } | undefined)
  const last = messages.at(-1)!.content
  return {
    model,
    stream: stream === true,
    // Agents send theirs in blocks, and it is too long to be repeated.
    system: typeof system === 'string' ? system : '',
    text: ofType(last, 'text')
      .map(({ text }) => text)
      .join(''),
    images: ofType(last, 'image').map(({ source }) => imageOf(source as Fields)),
    tools: tools.map(({ name }) => name),
    forced: (body.tool_choice as { name?: string } | undefined)?.name,
    results: ofType(last, 'tool_result').map(({ tool_use_id, content }) => ({
      id: String(tool_use_id),
      text: blocksIn(content as Said['content'])
        .map(({ text }) => text)
        .join(''),
    })),
    schema: (output_config as { format?: { schema: unknown } } | undefined)?.format?.schema,
    turns: messages.length,
    thinks: thinking !== undefined && (thinking as { type: string }).type !== 'disabled',
  }
}

/** https://platform.claude.com/docs/en/api/messages/create: one of these objects, and nothing else in it. */
function checkThinking(thinking: Fields | undefined): void {
  if (!thinking) return
  const { type, budget_tokens: budget } = thinking
  const known = ['enabled', 'adaptive', 'disabled', 'between_tools']
  demand(known.includes(String(type)), `thinking: Input tag '${type}' does not match any of the expected tags`)
  if (type === 'enabled') demand(Number(budget) >= 1024, 'thinking.enabled.budget_tokens: Field required')
  onlyKnown(thinking, type === 'enabled' ? 'type budget_tokens display' : 'type display')
}

/** Checks that the next turn answers every call, and that the signed thinking block comes before it. */
function checkCalls(messages: { content: Block[] }[], thinking: { type?: string } | undefined): void {
  for (const [at, { content }] of messages.entries()) {
    const calls = ofType(content, 'tool_use').map(({ id }) => id)
    const results = ofType(messages[at + 1]?.content ?? [], 'tool_result').map(({ tool_use_id }) => tool_use_id)
    for (const id of calls) demand(results.includes(id), `messages.${at}: tool_use ${id} without tool_result`)
    if (calls.length > 0 && thinking?.type === 'enabled')
      demand(
        content[0]?.type === 'thinking' && content[0].signature === SEAL,
        `messages.${at}: must start with a thinking block`,
      )
  }
}

function blocksIn(content: Said['content']): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function ofType(blocks: Block[], type: string): Block[] {
  return blocks.filter((block) => block.type === type)
}

function imageOf({ type, media_type, data }: Fields) {
  demand(type === 'base64', 'image.source: only base64 here')
  return { type: String(media_type), bytes: bytesIn(data) }
}

function blocksOf({ thinking, text, calls }: Answer): Fields[] {
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature: SEAL }] : []),
    ...(text.length > 0 ? [{ type: 'text', text: text.join('') }] : []),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ]
}

function frames(answer: Answer, { model }: ReceivedRequest): Uint8Array[] {
  const event = (type: string, fields: Fields) => sse({ type, ...fields }, type)
  const blocks = blocksOf(answer).flatMap((block, index) => [
    event('content_block_start', { index, content_block: opened(block) }),
    ...deltasOf(block, answer).map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ])
  return [
    event('message_start', {
      message: { ...messageHead(model), content: [], usage: { ...readCounts(), output_tokens: 1 } },
    }),
    event('ping', {}),
    ...blocks,
    event('message_delta', {
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      usage: writtenCounts(answer),
    }),
    event('message_stop', {}),
  ]
}

function opened(block: Fields): Fields {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} }
}

function deltasOf({ type, thinking, input }: Fields, { text }: Answer): Fields[] {
  if (type === 'text') return text.map((piece) => ({ type: 'text_delta', text: piece }))
  if (type === 'tool_use')
    return pieces(input as Fields).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature: SEAL },
  ]
}

function messageHead(model: string): Fields {
  return { id: 'msg_fake', type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null }
}

function stopOf({ calls }: Answer): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function readCounts(): Fields {
  const { read, cached } = COUNTS
  return { input_tokens: read - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 }
}

function writtenCounts({ thinking }: Answer): Fields {
  const { written, thought: reasoning } = COUNTS
  return { output_tokens: written, ...(thinking && { output_tokens_details: { thinking_tokens: reasoning } }) }
}
