import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OpenAI } from 'openai'
import type { Message } from '../../../contract/chat.ts'
import { Problem } from '../../../contract/problems.ts'
import type { Target } from '../chat-codec.ts'
import { encoded } from './fixtures/encoded.ts'

const CALL = { id: 'toolu_01A09q90qw90lq917835lq9', type: 'function', function: { name: 'f', arguments: '{}' } }
const TURN: (Message & Record<string, unknown>)[] = [
  { role: 'developer', content: 'Sir!' },
  { role: 'user', content: 'Hi', name: 'Ann' },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [CALL],
    reasoning_content: 'Let me see.',
    reasoning_details: [{ type: 'anthropic.thinking', thinking: 'x', signature: 'y' }],
  },
  { role: 'tool', tool_call_id: CALL.id, content: 'sun' },
]

describe('the messages as the address wants them', () => {
  test('a host with details of its own does not get what others signed or encrypted', () => {
    const encrypted = { type: 'responses.reasoning', summary: [], encrypted_content: 'gAAAA' }
    const signed = ['anthropic.thinking', 'bedrock.reasoning', 'gemini.thought_signature'].map((type) => ({ type }))
    const own = { type: 'reasoning.text', text: 'x' }
    const turn = { role: 'assistant' as const, content: 'Hi', reasoning_details: [encrypted, ...signed, own] }
    const { body, noted } = sent([turn], { compat: { details: true } })
    assert.deepEqual(body, [{ ...turn, reasoning_details: [own] }])
    assert.deepEqual(noted, ['dropped messages.reasoning_details'])
  })

  test('OpenAI: its own role and names, neither reasoning nor details that others signed', () => {
    const { body, noted } = sent(TURN, { compat: { developer: true, ownAnswers: true, reasoning: 'refused' } })
    const expected = [
      { role: 'developer', content: 'Sir!' },
      { role: 'user', content: 'Hi', name: 'Ann' },
      { role: 'assistant', content: null, refusal: null, tool_calls: [{ ...CALL, type: 'function' }] },
      { role: 'tool', tool_call_id: CALL.id, content: 'sun' },
    ] satisfies OpenAI.ChatCompletionMessageParam[]
    assert.deepEqual(body, expected)
    assert.deepEqual(noted, ['dropped messages.reasoning_content', 'dropped messages.reasoning_details'])
  })

  test('a host that supports less: `system`, no names; reasoning stays', () => {
    const [first, second, third] = sent(TURN, { compat: { nameless: true } }).body
    assert.deepEqual([first.role, second.name, third.reasoning_content], ['system', undefined, 'Let me see.'])
  })

  test('reasoning under another name, or an empty one if it is required', () => {
    assert.equal(sent(TURN, { compat: { reasoning: 'as reasoning' } }).body[2].reasoning, 'Let me see.')
    const { reasoning_content: _, ...dropped } = TURN[2]!
    assert.equal(sent([dropped], { compat: { reasoning: 'demanded' } }).body[0].reasoning_content, '')
  })

  test('Mistral: nothing that it does not know, and ids of nine characters, the same in call and result', () => {
    const [, user, assistant, tool] = sent(TURN, { compat: { mistral: true } }).body
    assert.deepEqual(user, { role: 'user', content: 'Hi' })
    assert.deepEqual(Object.keys(assistant), ['role', 'tool_calls'])
    assert.match(tool.tool_call_id, /^[a-zA-Z0-9]{9}$/)
    assert.equal(assistant.tool_calls[0].id, tool.tool_call_id)
  })

  test('models of Mistral need short ids at other hosts, too', () => {
    const [, , assistant, tool] = sent(TURN, { traits: { maker: 'mistral' } }).body
    assert.match(tool.tool_call_id, /^[a-zA-Z0-9]{9}$/)
    assert.equal(assistant.tool_calls[0].id, tool.tool_call_id)
  })

  test('calls lose the signatures of Google and other members, except at the address of Google', () => {
    const extra_content = { google: { thought_signature: 'c2ln' } }
    const calls = [
      { ...CALL, index: 0, extra_content },
      { ...CALL, id: 'call_2' },
    ]
    const turn = { role: 'assistant' as const, content: null, tool_calls: calls }
    const plain = sent([turn])
    assert.deepEqual(plain.body[0].tool_calls, [CALL, { ...CALL, id: 'call_2' }])
    assert.deepEqual(plain.noted, ['dropped messages.tool_calls.extra_content'])
    const google = sent([turn, { ...turn, tool_calls: [CALL] }], { compat: { signedCalls: true } })
    assert.deepEqual(google.body[0].tool_calls[0].extra_content, extra_content)
    const unknown = { google: { thought_signature: 'skip_thought_signature_validator' } }
    assert.deepEqual(google.body[1].tool_calls, [{ ...CALL, extra_content: unknown }])
  })

  test('long ids become short ones, the same in call and result', () => {
    const id = 'look_up_current_weather_of_city_8x0AbCdEfGhI'
    const turns = [
      { role: 'assistant' as const, content: null, tool_calls: [{ ...CALL, id }] },
      { role: 'tool' as const, tool_call_id: id, content: 'sun' },
    ]
    const [assistant, tool] = sent(turns).body
    assert.match(tool.tool_call_id, /^call_[0-9a-f]{24}$/)
    assert.equal(assistant.tool_calls[0].id, tool.tool_call_id)
  })

  test('members of answers that only some addresses know are sent to these only', () => {
    const answer = { role: 'assistant' as const, content: 'Hi', refusal: null, annotations: [], audio: null }
    const url = { image_url: { url: 'data:image/png;base64,AAAA' } }
    assert.deepEqual(sent([answer]).body, [{ role: 'assistant', content: 'Hi' }])
    assert.deepEqual(sent([answer], { compat: { ownAnswers: true } }).body, [answer])
    const drawn = { ...answer, annotations: [{ type: 'url_citation' }], images: [url] }
    const { body, noted } = sent([drawn])
    assert.deepEqual([body, noted], [[{ role: 'assistant', content: 'Hi' }], ['dropped messages.images']])
    const kept = sent([drawn], { compat: { details: true } }).body[0]
    assert.deepEqual([kept.images, kept.annotations], [drawn.images, drawn.annotations])
  })

  test('an earlier refusal is its text where the field is not known', () => {
    const refusal = { role: 'assistant' as const, content: null, refusal: 'No.' }
    assert.deepEqual(sent([refusal]).body, [{ role: 'assistant', content: 'No.' }])
    assert.deepEqual(sent([refusal], { compat: { ownAnswers: true } }).body, [{ ...refusal, content: '' }])
  })

  test('Mistral: files and audio in its own parts', () => {
    const content = [
      { type: 'file' as const, file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
      { type: 'file' as const, file: { file_id: 'f-1' } },
      { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'image_url' as const, image_url: 'https://x.test/a.png' },
    ]
    assert.deepEqual(sent([{ role: 'user', content }], { compat: { mistral: true } }).body[0].content, [
      { type: 'document_url', document_url: 'data:application/pdf;base64,JVBERi0=', document_name: 'a.pdf' },
      { type: 'file', file_id: 'f-1' },
      { type: 'input_audio', input_audio: 'AAAA' },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    ])
  })
})

describe('cache_control', () => {
  const marked = (ttl?: string) => ({
    type: 'text' as const,
    text: 'x',
    cache_control: { type: 'ephemeral' as const, ...(ttl && { ttl }) },
  })

  test('is left out where the provider has no marks, in messages and in tools, and noted', () => {
    const tools = [{ type: 'function', function: { name: 'f', cache_control: {} }, cache_control: {} }]
    const { body, noted } = encoded({ messages: [{ role: 'user', content: [marked()] }], tools })
    assert.deepEqual(body.messages[0].content, [{ type: 'text', text: 'x' }])
    assert.deepEqual([body.tools, noted], [[{ type: 'function', function: { name: 'f' } }], ['dropped cache_control']])
  })

  test('stays where the provider takes it', () => {
    const { body, noted } = sent([{ role: 'user', content: [marked('1h')] }], { compat: { cacheMarks: true } })
    assert.deepEqual([body[0].content, noted], [[marked('1h')], []])
  })

  test('becomes a breakpoint where the model has them: four at most, for half an hour or half a day', () => {
    const content = [marked(), marked('5m'), marked('30m'), marked('8h'), marked('12h')]
    const { body, noted } = sent([{ role: 'user', content }], { traits: { cacheBreakpoints: true } })
    const text = { type: 'text', text: 'x' } as const
    const point = (ttl?: '30m' | '12h') => ({
      ...text,
      prompt_cache_breakpoint: { mode: 'explicit' as const, ...(ttl && { ttl }) },
    })
    const expected: OpenAI.ChatCompletionContentPart[] = [point(), text, point('30m'), point('12h'), point('12h')]
    assert.deepEqual(body[0].content, expected)
    assert.deepEqual(noted, ['dropped cache_control', 'translated cache_control.ttl'])
  })
})

describe('unsupported input names the field and the provider', () => {
  const refused = (message: RegExp, param: string) => (error: unknown) => {
    return (
      error instanceof Problem && error.status === 422 && error.details.param === param && message.test(error.message)
    )
  }
  const name = 'Perplexity'

  test('is refused for tools', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    assert.throws(
      () => encoded({ tools }, { name, traits: { lacks: ['tools'] } }),
      refused(/Perplexity does not support/, 'tools'),
    )
  })

  test('is refused for images and files', () => {
    const image = [{ type: 'image_url' as const, image_url: { url: 'https://x.test/a.png' } }]
    const file = [{ type: 'file' as const, file: { file_id: 'x' } }]
    const traits = { lacks: ['vision', 'files'] as const }
    assert.throws(
      () => sent([{ role: 'user', content: image }], { name, traits }),
      refused(/Perplexity does not accept images/, 'messages.0.content.0.image_url'),
    )
    assert.throws(
      () => sent([{ role: 'user', content: file }], { name, traits }),
      refused(/Perplexity does not accept files/, 'messages.0.content.0.file'),
    )
  })
})

test('a model without schemas gets JSON mode, and is instructed to follow the schema', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const response_format = { type: 'json_schema', json_schema: { name: 'place', schema } }
  const { body, noted } = encoded({ response_format }, { traits: { lacks: ['json_schema'] } })
  assert.deepEqual(body.response_format, { type: 'json_object' })
  assert.match(body.messages[0].content, /JSON.*"city"/)
  assert.deepEqual([body.messages.length, noted], [2, ['translated response_format']])
})

test('metadata: a few short texts are sent unchanged, the rest as text or not at all', () => {
  assert.deepEqual(encoded({ metadata: { a: 'b' } }).noted, [])
  const nested = encoded({ metadata: { a: { b: 1 } } })
  assert.deepEqual([nested.body.metadata, nested.noted], [{ a: '{"b":1}' }, ['translated metadata']])
  const many = encoded({ metadata: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, 'v'])) })
  assert.deepEqual([Object.keys(many.body.metadata).length, many.noted], [16, ['dropped metadata']])
})

function sent(messages: Message[], changes: Partial<Target> = {}) {
  const { body, noted } = encoded({ messages }, changes)
  return { body: body.messages, noted }
}
