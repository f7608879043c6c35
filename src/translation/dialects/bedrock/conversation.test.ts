import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import type { Target } from '../chat-codec.ts'
import { type Messages, type Block, send } from './fixtures/send-messages.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const PDF = 'JVBERi0xLjQK'

describe('roles', () => {
  test('leading instructions are the system prompt, later ones become user text; empty text is dropped', () => {
    const messages: Messages = [
      { role: 'system', content: 'A' },
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'B' },
          { type: 'text', text: ' ' },
        ],
      },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'C' },
      { role: 'user', content: '' },
      { role: 'user', content: 'there', name: 'Eva' },
    ]
    const { sent, notes } = send(messages)
    assert.deepEqual(sent.system, [{ text: 'A' }, { text: 'B' }])
    assert.deepEqual(sent.messages, [{ role: 'user', content: [{ text: 'Hi' }, { text: 'C' }, { text: 'there' }] }])
    assert.deepEqual(notes, ['translated messages.role', 'dropped messages.name'])
  })

  test('the user begins; a begun answer ends without space, and is gone on from where the model can', () => {
    const messages: Messages = [{ role: 'assistant', content: 'Once upon  ' }]
    assert.deepEqual(send(messages).sent.messages, [
      { role: 'user', content: [{ text: 'Continue.' }] },
      { role: 'assistant', content: [{ text: 'Once upon' }] },
    ])
    assert.equal(send(messages, { traits: { prefill: false } }).sent.messages.at(-1)?.role, 'user')
  })

  test('instructions alone, a model that takes none, and nothing at all', () => {
    const alone = send([{ role: 'system', content: 'A' }])
    assert.deepEqual(alone.sent, {
      system: [{ text: 'A' }],
      messages: [{ role: 'user', content: [{ text: 'Continue.' }] }],
    })
    const none = send([{ role: 'system', content: 'A' }], { traits: { lacks: ['system'] } })
    assert.deepEqual(none.sent, { messages: [{ role: 'user', content: [{ text: 'A' }] }] })
    refused([], 'messages')
    refused([{ role: 'user', content: ' ' }], 'messages')
  })

  test('refusals of earlier turns are text', () => {
    const messages: Messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      { role: 'user', content: 'Please' },
    ]
    assert.deepEqual(send(messages).sent.messages[1], { role: 'assistant', content: [{ text: 'No.' }] })
  })
})

describe('a turn of tools', () => {
  const reasoning = [
    { type: 'bedrock.reasoning', text: 'Hm', signature: 'Eq' },
    { type: 'bedrock.redacted', data: 'c2Vh' },
    { type: 'anthropic.thinking', thinking: 'Ah', signature: 'Er' },
    { type: 'other', signature: 'x' },
  ]
  const messages: Messages = [
    { role: 'user', content: 'Weather and time?' },
    {
      role: 'assistant',
      content: 'Let me look.',
      reasoning_details: reasoning,
      tool_calls: [call('tooluse_1', 'weather', '{"city":"Bern"}'), call('tooluse_2', 'time', '')],
    } as Messages[number],
    { role: 'tool', tool_call_id: 'tooluse_1', content: 'sunny' },
    {
      role: 'tool',
      tool_call_id: 'tooluse_2',
      content: [
        { type: 'text', text: '12:00' },
        { type: 'image_url', image_url: PNG },
      ],
    },
    { role: 'user', content: 'Thanks' },
  ]

  test('reasoning precedes the calls, parallel results are in one message before the text', () => {
    const [, assistant, user] = send(messages).sent.messages
    assert.deepEqual(assistant?.content, [
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'Eq' } } },
      { reasoningContent: { redactedContent: 'c2Vh' } },
      { reasoningContent: { reasoningText: { text: 'Ah', signature: 'Er' } } },
      { text: 'Let me look.' },
      { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Bern' } } },
      { toolUse: { toolUseId: 'tooluse_2', name: 'time', input: {} } },
    ])
    assert.deepEqual(user?.content, [
      { toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'sunny' }] } },
      {
        toolResult: {
          toolUseId: 'tooluse_2',
          content: [{ text: '12:00' }, { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }],
        },
      },
      { text: 'Thanks' },
    ])
  })

  test('a signature of Claude is shown to Claude only', () => {
    const { sent } = send(messages, { model: 'amazon.nova-2-lite-v1:0' })
    assert.deepEqual(sent.messages[1]?.content[0], { text: 'Let me look.' })
  })

  test('foreign ids are made to fit, alike in call and result', () => {
    const id = `call:${'x'.repeat(80)}`
    const turn: Messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [call(id, 'f', 'not json')] },
      { role: 'tool', tool_call_id: id, content: '' },
    ]
    for (const [model, pattern] of [
      ['anthropic.claude', /^call_[a-f0-9]{24}$/],
      ['mistral.large', /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const [, assistant, user] = send(turn, { model }).sent.messages
      const use = assistant?.content[0]?.toolUse as { toolUseId: string; input: unknown }
      const result = user?.content[0]?.toolResult as { toolUseId: string; content: unknown }
      assert.match(use.toolUseId, pattern)
      assert.equal(result.toolUseId, use.toolUseId)
      assert.deepEqual(use.input, { _raw: 'not json' })
      assert.deepEqual(result.content, [{ text: '(no output)' }])
    }
  })

  test('the legacy form: a function call and its result find each other', () => {
    const [, assistant, user] = send([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'ok' },
    ]).sent.messages
    assert.deepEqual(assistant?.content, [{ toolUse: { toolUseId: 'call_1', name: 'f', input: { a: 1 } } }])
    assert.deepEqual(user?.content, [{ toolResult: { toolUseId: 'call_1', content: [{ text: 'ok' }] } }])
  })

  test('a failed tool is marked as failed', () => {
    const failed = { role: 'tool', tool_call_id: 'a', content: 'no', is_error: true } as Messages[number]
    const result = send([{ role: 'user', content: 'x' }, failed]).sent.messages[0]?.content[1]?.toolResult as Block
    assert.equal(result.status, 'error')
  })

  test('ambiguous calls and results are refused', () => {
    refused([{ role: 'assistant', tool_calls: 'x' }], 'messages.0.tool_calls')
    refused([{ role: 'assistant', tool_calls: [{ id: 'a' }] }], 'messages.0.tool_calls.0')
    refused([{ role: 'tool', content: 'x' }], 'messages.0.tool_call_id')
    refused([{ role: 'function', name: 'f', content: 'x' }], 'messages.0.tool_call_id')
  })
})

describe('images and files', () => {
  test('an image is sent as bytes', () => {
    const content = [
      { type: 'image_url' as const, image_url: { url: PNG } },
      { type: 'image_url' as const, image_url: PNG },
    ]
    const block = { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }
    assert.deepEqual(send([{ role: 'user', content }]).sent.messages[0]?.content, [block, block])
  })

  test('an address, a strange format, a model that sees nothing: refused, with the field and the provider', () => {
    const at = 'messages.0.content.0.image_url'
    const image = (url: string): Messages => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    refused(image('https://images.test/cat.png'), at)
    refused(image('data:image/svg+xml,<svg/>'), at)
    refused(image(PNG), at, { traits: { lacks: ['vision'] } })
    const inSystem: Messages = [{ role: 'system', content: [{ type: 'image_url', image_url: PNG }] }]
    refused(inSystem, 'messages.0.content.0')
    refused([{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA' } }] }], 'messages.0.content.0')
  })

  test('a file is a document with a plain name of its own, and a word beside it', () => {
    const part = (file_data: string, filename?: string) => ({ type: 'file' as const, file: { file_data, filename } })
    const content = [
      part(`data:application/pdf;base64,${PDF}`, 'Q3: résumé_final.pdf'),
      part(PDF, 'Q3: résumé_final.pdf'),
      part('data:text/plain,Gr%C3%BC%C3%9Fe é', 'a  b (1) [x].txt'),
      part('YSxi', 'table.csv'),
      part(PDF),
      part(PNG),
    ]
    const { sent, notes } = send([{ role: 'user', content }])
    const blocks = sent.messages[0]!.content
    const documents = blocks.flatMap(({ document }) => (document ? [document as Record<string, unknown>] : []))
    assert.deepEqual(
      documents.map(({ format, name }) => [format, name]),
      [
        ['pdf', 'Q3- r-sum-final'],
        ['pdf', 'Q3- r-sum-final 2'],
        ['txt', 'a b (1) [x]'],
        ['csv', 'table'],
        ['pdf', 'document'],
      ],
    )
    const { bytes } = documents[2]!.source as { bytes: string }
    assert.equal(Buffer.from(bytes, 'base64').toString(), 'Grüße é')
    assert.match(String(blocks[0]?.text), /^Attached: Q3-/)
    assert.deepEqual(Object.keys(blocks.at(-1)!), ['image'])
    assert.deepEqual(notes, ['translated messages'])
  })

  test('files that Bedrock cannot read are refused', () => {
    const file = (file: object) => [{ role: 'user', content: [{ type: 'file', file }] }] as Messages
    refused(file({ file_id: 'file-1' }), 'messages.0.content.0.file.file_id')
    refused(file({ file_data: 'UEsDBA==', filename: 'x.zip' }), 'messages.0.content.0.file')
    refused(file({ file_data: PDF }), 'messages.0.content.0.file', { traits: { lacks: ['files'] } })
  })
})

function call(id: string, name: string, value: string) {
  return { id, type: 'function', function: { name, arguments: value } }
}

function refused(messages: Messages, param: string, changes: Partial<Target> = {}) {
  assert.throws(
    () => send(messages, changes),
    (error) => {
      assert.ok(error instanceof Problem && error.status === 422)
      assert.equal(error.details.param, param)
      assert.match(error.message, /Amazon Bedrock/)
      return true
    },
  )
}
