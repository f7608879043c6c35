import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ThinkingTraits } from '../model-traits.ts'
import { Problem } from '../../../contract/problems.ts'
import type { Target } from '../chat-codec.ts'
import { cohere } from './index.ts'

type Messages = ChatRequest['messages']
type Fields = Record<string, unknown>

const HI: Messages = [{ role: 'user', content: 'Hi' }]
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } }
const TOOLS = ['f', 'g'].map((name) => ({
  type: 'function',
  function: { name, description: name, parameters: SCHEMA },
}))
const PNG = 'data:image/png;base64,iVBORw0KGgo='

describe('a call', () => {
  test('has the address, the headers and the body of Cohere', () => {
    const { wire, notes } = encoded({ extra_headers: { 'X-Client-Name': 'tests', Accept: 'x' } })
    assert.equal(wire.url, 'https://cohere.test/v2/chat')
    assert.deepEqual(wire.headers, {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-client-name': 'tests',
    })
    assert.deepEqual(JSON.parse(String(wire.body)), { model: 'command-test', messages: HI, stream: false })
    assert.deepEqual(notes, [])
    assert.equal(encoded({ stream: true }).wire.headers.accept, 'text/event-stream')
  })

  test('settings under their names here, within their bounds', () => {
    const options = {
      max_tokens: 9,
      max_completion_tokens: 10,
      temperature: 1.5,
      top_p: 1,
      top_k: 40,
      seed: 3,
      logprobs: true,
      stop: ['1', '', '2', '3', '4', '5', '6'],
      frequency_penalty: -1,
      presence_penalty: 0.5,
    }
    const { model: _, messages: __, stream: ___, ...settings } = bodyOf(options)
    assert.deepEqual(settings, {
      max_tokens: 10,
      temperature: 1,
      p: 0.99,
      k: 40,
      seed: 3,
      logprobs: true,
      stop_sequences: ['1', '2', '3', '4', '5'],
      frequency_penalty: 0,
      presence_penalty: 0.5,
    })
    assert.deepEqual(notesOf(options), ['translated stop', 'translated temperature', 'translated frequency_penalty'])
    assert.deepEqual(notesOf({ seed: -1, stop: 'x' }), ['dropped seed'])
  })

  test('unknown fields pass, extra_body over everything but the model', () => {
    const body = bodyOf({
      safety_mode: 'OFF',
      temperature: 0,
      extra_body: { temperature: 0.4, priority: 1, model: 'x' },
    } as object)
    const { messages: _, ...rest } = body
    assert.deepEqual(rest, { safety_mode: 'OFF', temperature: 0.4, priority: 1, model: 'command-test', stream: false })
  })

  test('follows the traits of the model and the field rules of the provider', () => {
    const target = {
      traits: { refuses: ['seed'] },
      fieldRules: { drop: ['stop'], rename: { user: 'who' }, defaults: { top_k: 2 } },
    }
    const { messages: _, ...rest } = bodyOf({ seed: 1, stop: 'x', user: 'u' }, target)
    assert.deepEqual(rest, { model: 'command-test', stream: false, who: 'u', k: 2 })
    assert.deepEqual(notesOf({ seed: 1, stop: 'x', user: 'u' }, target), [
      'dropped stop',
      'renamed user',
      'dropped seed',
    ])
  })
})

describe('messages', () => {
  test('roles; text stays text; empty messages are dropped', () => {
    const messages: Messages = [
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
      { role: 'user', content: 'Hi', name: 'Eva' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'assistant', content: null },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: '' },
        ],
      },
    ]
    assert.deepEqual(bodyOf({ messages }).messages, [
      { role: 'system', content: 'A\nB' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: [{ type: 'text', text: 'Look' }] },
    ])
    assert.deepEqual(notesOf({ messages }), ['dropped messages.name', 'dropped cache_control'])
    refused({ messages: [] }, 'messages')
  })

  test('a tool turn: the text before the calls is the plan', () => {
    const calls = [call('a', 'f', '{"a":1}'), call('b', 'g', '')]
    const messages: Messages = [
      ...HI,
      { role: 'assistant', content: 'Looking.', reasoning_content: 'Hm.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }, file('three', 'three.txt')] },
    ]
    assert.deepEqual((bodyOf({ messages }).messages as Fields[]).slice(1), [
      { role: 'assistant', tool_plan: 'Hm.\nLooking.', tool_calls: [call('a', 'f', '{"a":1}'), call('b', 'g', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      {
        role: 'tool',
        tool_call_id: 'b',
        content: [
          { type: 'text', text: 'two' },
          { type: 'document', document: { data: { text: 'three', title: 'three.txt' } } },
        ],
      },
    ])
  })

  test('the legacy form: a function call and its result find each other', () => {
    const messages: Messages = [
      ...HI,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'ok' },
    ]
    assert.deepEqual((bodyOf({ messages }).messages as Fields[]).slice(1), [
      { role: 'assistant', tool_calls: [call('call_1', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ])
  })

  test('images by data and by address', () => {
    const content = [
      { type: 'image_url' as const, image_url: PNG },
      { type: 'image_url' as const, image_url: { url: 'https://images.test/cat.png', detail: 'low' } },
    ]
    const [message] = bodyOf({ messages: [{ role: 'user', content }] }).messages as { content: unknown }[]
    assert.deepEqual(message?.content, [
      { type: 'image_url', image_url: { url: PNG } },
      { type: 'image_url', image_url: { url: 'https://images.test/cat.png', detail: 'low' } },
    ])
    const at = 'messages.0.content.0'
    refused({ messages: [{ role: 'user', content }] }, `${at}.image_url`, { traits: { lacks: ['vision'] } })
    refused({ messages: [{ role: 'system', content }] }, at)
    refused({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA' } }] }] }, at)
  })

  test('text files are beside the conversation; others are refused', () => {
    const body = bodyOf({ messages: [{ role: 'user', content: [file('Grüße', 'a.txt'), file('x')] }] })
    assert.deepEqual(body.messages, [{ role: 'user', content: 'Attached: a.txt, document' }])
    assert.deepEqual(body.documents, [
      { id: 'file-0', data: { text: 'Grüße', title: 'a.txt' } },
      { id: 'file-1', data: { text: 'x', title: 'document' } },
    ])
    const one = (part: object): Partial<ChatRequest> => ({ messages: [{ role: 'user', content: [part] }] as Messages })
    refused(one({ type: 'file', file: { file_data: 'JVBERi0xLjQK' } }), 'messages.0.content.0.file')
    refused(one({ type: 'file', file: { file_data: PNG } }), 'messages.0.content.0.file')
    refused(one({ type: 'file', file: { file_id: 'file-1' } }), 'messages.0.content.0.file.file_id')
    refused(one(file('x')), 'messages.0.content.0.file', { traits: { lacks: ['files'] } })
  })
})

describe('tools and formats', () => {
  test('tool_choice becomes REQUIRED or NONE, and a named tool is the only one sent', () => {
    assert.deepEqual(bodyOf({ tools: TOOLS, tool_choice: 'auto' }).tools, TOOLS)
    assert.equal(bodyOf({ tools: TOOLS, tool_choice: 'auto' }).tool_choice, undefined)
    assert.equal(bodyOf({ tools: TOOLS, tool_choice: 'required' }).tool_choice, 'REQUIRED')
    assert.equal(bodyOf({ tools: TOOLS, tool_choice: 'none' }).tool_choice, 'NONE')
    const named = bodyOf({ tools: TOOLS, tool_choice: { type: 'function', function: { name: 'g' } } })
    assert.deepEqual([named.tools, named.tool_choice], [[TOOLS[1]], 'REQUIRED'])
    const legacy = bodyOf({
      functions: [{ name: 'g', description: 'g', parameters: SCHEMA }],
      function_call: { name: 'g' },
    })
    assert.deepEqual([legacy.tools, legacy.tool_choice], [[TOOLS[1]], 'REQUIRED'])
  })

  test('strict for all or for none; invalid tools are refused', () => {
    const strict = TOOLS.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }))
    assert.equal(bodyOf({ tools: strict }).strict_tools, true)
    assert.equal(bodyOf({ tools: [TOOLS[0]!, strict[1]!] }).strict_tools, undefined)
    assert.deepEqual(notesOf({ tools: [TOOLS[0]!, strict[1]!] }), ['dropped tools.strict'])
    assert.deepEqual(notesOf({ tools: TOOLS, parallel_tool_calls: false }), ['dropped parallel_tool_calls'])
    refused({ tools: [{ type: 'custom' }] }, 'tools.0.type')
    refused({ tools: TOOLS }, 'tools', { traits: { lacks: ['tools'] } })
  })

  test('a schema is in its field, or in words together with tools and documents', () => {
    assert.deepEqual(bodyOf({ response_format: FORMAT }).response_format, { type: 'json_object', json_schema: SCHEMA })
    assert.deepEqual(bodyOf({ response_format: { type: 'json_object' } }).response_format, { type: 'json_object' })
    assert.equal(bodyOf({ response_format: { type: 'text' } }).response_format, undefined)
    const beside = bodyOf({ response_format: FORMAT, tools: TOOLS })
    assert.equal(beside.response_format, undefined)
    assert.match((beside.messages as { content: string }[])[0]!.content, /JSON schema: \{"type":"object"/)
    assert.deepEqual(notesOf({ response_format: FORMAT, tools: TOOLS }), ['translated response_format'])
    assert.deepEqual(notesOf({ response_format: { type: 'xml' } }), ['dropped response_format'])
    const bare = { response_format: { type: 'json_schema' } }
    assert.deepEqual(bodyOf(bare).response_format, { type: 'json_object' })
    assert.deepEqual(notesOf(bare), ['translated response_format'])
  })
})

describe('thinking', () => {
  const on = (token_budget: number) => ({ type: 'enabled', token_budget })

  test('efforts become tokens, within limits and within the answer', () => {
    assert.deepEqual(thinkingOf({ reasoning_effort: 'high' }), on(4096))
    assert.deepEqual(thinkingOf({ reasoning_effort: 'high', max_tokens: 1000 }), on(500))
    assert.deepEqual(thinkingOf({ reasoning_effort: 'max' }, { by: 'budget', maxTokens: 5000 }), on(5000))
    assert.deepEqual(thinkingOf({ thinking: { type: 'enabled', budget_tokens: 300 } }), on(300))
    assert.deepEqual(thinkingOf({ thinking: { type: 'enabled', token_budget: 300 } }), on(300))
    assert.deepEqual(thinkingOf({ thinking: { type: 'enabled' } }), { type: 'enabled' })
  })

  test('thinking off; thinking on for a model that cannot', () => {
    assert.deepEqual(thinkingOf({ reasoning_effort: 'disable' }), { type: 'disabled' })
    assert.deepEqual(thinkingOf({ thinking: { type: 'disabled' } }), { type: 'disabled' })
    assert.equal(thinkingOf({ reasoning_effort: 'none' }, { by: 'none' }), undefined)
    assert.equal(thinkingOf({ reasoning_effort: 'low' }, { by: 'none' }), undefined)
    const target = { traits: { thinking: { by: 'none' as const } } }
    assert.deepEqual(notesOf({ reasoning_effort: 'low' }, target), ['dropped reasoning_effort'])
    assert.deepEqual(notesOf({ reasoning_effort: 'none' }, target), [])
    assert.deepEqual(thinkingOf({ reasoning_effort: 'none' }, { by: 'budget', always: true }), { type: 'enabled' })
  })

  function thinkingOf(request: Partial<ChatRequest>, thinking?: ThinkingTraits): unknown {
    return bodyOf(request, thinking ? { traits: { thinking } } : {}).thinking
  }
})

function bodyOf(request: Partial<ChatRequest>, changes: Partial<Target> = {}): Fields {
  return JSON.parse(String(encoded(request, changes).wire.body))
}

function notesOf(request: Partial<ChatRequest>, changes: Partial<Target> = {}): string[] {
  return encoded(request, changes).notes.map(({ action, field }) => `${action} ${field}`)
}

function encoded(request: Partial<ChatRequest>, changes: Partial<Target> = {}) {
  const target = { baseUrl: 'https://cohere.test/v2', model: 'command-test', credential: 'secret', ...changes }
  return cohere.chat.encode({ request: { model: 'm', messages: HI, ...request } }, target)
}

function refused(request: Partial<ChatRequest>, param: string, changes: Partial<Target> = {}) {
  assert.throws(
    () => bodyOf(request, changes),
    (error) => {
      assert.ok(error instanceof Problem)
      assert.equal(error.details.param, param)
      assert.match(error.message, /Cohere/)
      return true
    },
  )
}

function call(id: string, name: string, value: string) {
  return { id, type: 'function', function: { name, arguments: value } }
}

function file(text: string, filename?: string) {
  const file_data = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`
  return { type: 'file' as const, file: { file_data, ...(filename && { filename }) } }
}
