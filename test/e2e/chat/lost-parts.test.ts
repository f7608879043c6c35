import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, SERVER_TOOL_ANSWERS } from '../../../src/translation/dialects/anthropic/fixtures/server-tools.ts'
import { answer, status } from '../../fakes/behaviours.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayWithClaude } from '../../gateway/gateway-with-claude.ts'

// What a target does not get, and what an answer could not carry, is noted in every format, whole and streamed.

type Fields = Record<string, unknown>
type Reply = { header: string | null; notes: string; text: string }

const CLAUDE = 'anthropic/claude-sonnet-4-5'
const QUESTION = { role: 'user', content: 'What is it?' }
const SEALED = `gatehouse.gemini.${Buffer.from('[{"type":"a"}]').toString('base64url')}`
const STEP_ID = 'srvtoolu_gatehouse_0'
const TURN = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'Hm', signature: SEALED },
    { type: 'server_tool_use', id: STEP_ID, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: STEP_ID, content: [] },
    { type: 'text', text: 'A gate.' },
  ],
}
const STEP_TYPES = ['thinking', 'server_tool_use', 'web_search_tool_result']
const ITEMS = [
  { type: 'web_search_call', id: `ws_${'0'.repeat(32)}_1`, status: 'completed', action: { type: 'search' } },
  { type: 'mcp_call', id: `mcp_${'0'.repeat(32)}_2`, name: 'n', server_label: 's', arguments: '{}' },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: SEALED },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A gate.', annotations: [] }] },
  { type: 'message', role: 'user', content: 'And?' },
]
const ITEM_TYPES = ['web_search_call', 'mcp_call', 'reasoning']
const SAID = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'Yes.' }],
  usage: { input_tokens: 1, output_tokens: 1 },
}
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5-pro',
  output: [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}
const RESPONSE_EVENTS = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.output_text.delta', output_index: 0, delta: 'Yes.' },
  { type: 'response.completed', response: RESPONSE },
]
/** Larger than what is carried for a message. */
const LARGE = {
  ...SAID,
  content: [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: {} },
    { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_1', content: { data: 'x'.repeat(8_000_001) } },
    { type: 'text', text: 'Yes.' },
  ],
}

const { gateway, claude, openai } = await gatewayWithClaude()

for (const isStream of [false, true]) {
  const how = isStream ? 'streamed' : 'whole'

  test(`messages to Anthropic, ${how}: steps of others are dropped with a note`, async () => {
    claude.next(isStream ? stream(eventsOf(SAID), { end: 'clean' }) : status(200, SAID))
    const body = { model: CLAUDE, max_tokens: 9, messages: [QUESTION, TURN, QUESTION] }
    const { header, notes } = await ask('v1/messages', body, isStream)
    for (const type of STEP_TYPES) assertNoted(`messages.content.${type}`, header, notes)
    assert.deepEqual((claude.requests[0]!.body as { messages: Fields[] }).messages[1]!.content, [TURN.content[3]])
  })

  test(`responses to OpenAI, ${how}: steps of others are dropped with a note`, async () => {
    openai.next(isStream ? stream(RESPONSE_EVENTS, { end: 'clean' }) : status(200, RESPONSE))
    const { header, notes } = await ask('responses', { model: 'openai/gpt-5-pro', input: ITEMS }, isStream)
    for (const type of ITEM_TYPES) assertNoted(`input.${type}`, header, notes)
  })

  test(`a target of another format, ${how}: what a chat cannot express is noted`, async () => {
    openai.always(isStream ? stream([CHUNK]) : answer())
    const user = {
      role: 'user',
      content: [
        { type: 'container_upload', file_id: '0190b7e4-7a5e-7cc3-8f31-1f2a3b4c5d6e' },
        { type: 'text', text: 'Hi' },
      ],
    }
    const messages = { model: 'openai/gpt-4o-mini', max_tokens: 9, messages: [QUESTION, TURN, user] }
    const first = await ask('v1/messages', messages, isStream)
    for (const type of [...STEP_TYPES, 'container_upload'])
      assertNoted(`messages.content.${type}`, first.header, first.notes)
    const second = await ask('responses', { model: 'openai/gpt-4o-mini', input: ITEMS }, isStream)
    for (const type of ITEM_TYPES) assertNoted(`input.${type}`, second.header, second.notes)
  })

  test(`a block that is too large, ${how}: noted where it is not carried`, async () => {
    claude.always(isStream ? stream(eventsOf(LARGE), { end: 'clean' }) : status(200, LARGE))
    const chat = await ask('chat/completions', { model: CLAUDE, messages: [QUESTION] }, isStream)
    assert.match(chat.notes, /web_fetch_tool_result: too large/)
    const responses = await ask('responses', { model: CLAUDE, input: 'Hi', store: false }, isStream)
    assert.match(responses.notes, /web_fetch_tool_result: too large/)
    const native = await ask('v1/messages', { model: CLAUDE, max_tokens: 9, messages: [QUESTION] }, isStream)
    assert.ok(native.text.length > 8_000_000)
    assert.doesNotMatch(native.notes, /too large/)
  })

  test(`what a hook did not read, ${how}: noted`, async () => {
    const [searched] = SERVER_TOOL_ANSWERS
    const { message } = searched!
    claude.always(isStream ? stream(eventsOf(message), { end: 'clean' }) : status(200, message))
    const post_hooks = [{ action: 'redact_pii', params: {} }]
    const { notes } = await ask('chat/completions', { model: CLAUDE, messages: [QUESTION], post_hooks }, isStream)
    assert.match(notes, /all: hooks/)
  })
}

/** What the responses wire has and other formats do not, and the arguments of a call that nothing names. */
const MADE = [
  { type: 'image_generation_call', id: 'ig', status: 'completed', result: 'iVBORw0KGgo=' },
  { type: 'code_interpreter_call', id: 'ci', status: 'completed', code: '1+1', container_id: 'c', outputs: [] },
  { type: 'mcp_call', id: 'mcp', name: 'find', server_label: 'tickets', arguments: '{}', output: 'found' },
  { type: 'file_search_call', id: 'fs', status: 'completed', queries: ['x'], results: null },
  { type: 'computer_call', id: 'cu', call_id: 'c', status: 'completed', action: { type: 'click' } },
]
const RESPONSE_MADE = { ...RESPONSE, output: [...MADE, ...RESPONSE.output] }
const EVENTS_MADE = [
  RESPONSE_EVENTS[0]!,
  ...MADE.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item },
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: 'response.output_text.delta', output_index: MADE.length, delta: 'Yes.' },
  { type: 'response.completed', response: RESPONSE_MADE },
]
const ASKED: [name: string, path: string, body: Fields][] = [
  ['messages', 'v1/messages', { max_tokens: 9, messages: [QUESTION] }],
  ['Cohere', 'v2/chat', { messages: [QUESTION] }],
  ['completions', 'completions', { prompt: 'What is it?' }],
  ['Gemini', 'v1beta/models/openai/gpt-5-pro', { contents: [{ role: 'user', parts: [{ text: 'What is it?' }] }] }],
]

for (const isStream of [false, true])
  for (const [name, path, body] of ASKED) {
    const how = isStream ? 'streamed' : 'whole'

    test(`items of the responses wire for a client of ${name}, ${how}: noted, each of them`, async () => {
      openai.next(isStream ? stream(EVENTS_MADE, { end: 'clean' }) : status(200, RESPONSE_MADE))
      const { notes, text } = await askFormat(path, body, isStream)
      assert.match(text, /Yes\./)
      for (const { type } of MADE)
        assert.ok(notes.includes(`"field":"message.provider_content.${type}"`), `${type}: ${notes.slice(0, 500)}`)
    })
  }

test('items of the responses wire for a client of chat completions or responses are carried, so nothing is noted', async () => {
  for (const isStream of [false, true])
    for (const [path, body] of [
      ['chat/completions', { messages: [QUESTION] }],
      ['responses', { input: 'What is it?', store: false }],
    ] as const) {
      openai.next(isStream ? stream(EVENTS_MADE, { end: 'clean' }) : status(200, RESPONSE_MADE))
      const { notes, text } = await ask(path, { model: 'openai/gpt-5-pro', ...body }, isStream)
      assert.match(text, /image_generation_call/)
      assert.doesNotMatch(notes, /provider_content/)
    }
})

test('arguments of a call that no event names are noted in every format; with a name they are a call', async () => {
  const done = { type: 'response.function_call_arguments.done', output_index: 5, arguments: '{"a":1}' }
  const events = (event: Fields) => [...RESPONSE_EVENTS.slice(0, 2), event, RESPONSE_EVENTS[2]!]
  for (const [, path, body] of ASKED) {
    openai.next(stream(events(done), { end: 'clean' }))
    const { notes } = await askFormat(path, body, true)
    assert.match(notes, /function_call: the provider did not name it/)
  }
  openai.next(stream(events({ ...done, item_id: 'fc_1', name: 'look' }), { end: 'clean' }))
  const { text } = await ask('v2/chat', { model: 'openai/gpt-5-pro', messages: [QUESTION] }, true)
  assert.match(text, /"type":"tool-call-start".*"name":"look"/)
})

async function askFormat(path: string, body: Fields, isStream: boolean): Promise<Reply> {
  if (!path.startsWith('v1beta')) return await ask(path, { model: 'openai/gpt-5-pro', ...body }, isStream)
  return await ask(`${path}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, body)
}

const CHUNK = {
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
}

function assertNoted(field: string, header: string | null, notes: string): void {
  assert.ok(header?.split(', ').includes(field), `${field} is not in the header: ${header}`)
  assert.ok(notes.includes(`"field":"${field}"`), `${field} is not in the notes: ${notes.slice(0, 500)}`)
}

async function ask(path: string, body: Fields, isStream?: boolean): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${API_KEY}`,
    'x-gatehouse-metadata': 'enabled',
  }
  const request = {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, ...(isStream !== undefined && { stream: isStream }) }),
  }
  const response = await fetch(`${gateway.url}/v3/${path}`, request)
  const text = await response.text()
  assert.equal(response.status, 200, text.slice(0, 500))
  const header = response.headers.get('x-gatehouse-dropped-fields')
  return { header, notes: notesIn(text), text }
}

/** The last notes of an answer, whole or streamed. */
function notesIn(text: string): string {
  return [...text.matchAll(/"notes":(\[.*?\])/g)].at(-1)?.[1] ?? ''
}
