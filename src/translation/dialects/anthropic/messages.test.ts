import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { encoded } from './fixtures/encoded.ts'

type Messages = ChatRequest['messages']

const PIXEL = 'iVBORw0KGgoAAAANSUhEUg=='
const PDF = 'JVBERi0xLjQK'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const weather = (id: string, json = '{}') => ({ id, type: 'function', function: { name: 'weather', arguments: json } })
const hi = { role: 'user', content: 'Hi' } as const

describe('system text', () => {
  test('leading system and developer messages leave the conversation', () => {
    const { body, noted } = talk([
      { role: 'system', content: 'A' },
      { role: 'developer', content: [{ type: 'text', text: 'B' }] },
      hi,
    ])
    assert.equal(body.system, 'A\n\nB')
    assert.deepEqual(body.messages, [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])
    assert.deepEqual(noted, [])
  })

  test('later ones stay in their place, as marked text of the user, with a note', () => {
    const { body, noted } = talk([
      hi,
      { role: 'assistant', content: 'Yes?' },
      { role: 'system', content: 'Be brief' },
      hi,
    ])
    assert.deepEqual(body.messages[2], {
      role: 'user',
      content: [
        { type: 'text', text: '<system>\nBe brief\n</system>' },
        { type: 'text', text: 'Hi' },
      ],
    })
    assert.deepEqual(noted, ['translated messages'])
  })

  test('alone it still makes a conversation; a model without system text gets it as the first turn', () => {
    assert.equal(talk([{ role: 'system', content: 'A' }]).body.messages[0]?.role, 'user')
    const { body } = encoded({ messages: [{ role: 'system', content: 'A' }, hi] }, { lacks: ['system'] })
    assert.equal(body.system, undefined)
    assert.deepEqual(
      body.messages[0]?.content.map((block) => 'text' in block && block.text),
      ['A', 'Hi'],
    )
  })
})

describe('turns', () => {
  test('messages of one role are one turn, empty ones are none', () => {
    const { body } = talk([
      hi,
      { role: 'user', content: '' },
      { role: 'user', content: 'there' },
      { role: 'assistant', content: null },
    ])
    assert.deepEqual(body.messages, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'there' },
        ],
      },
    ])
  })

  test('the user comes first, and last if the model does not continue its own message', () => {
    const start = talk([{ role: 'assistant', content: 'Welcome' }, hi])
    assert.deepEqual(
      start.body.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    )
    const messages: Messages = [hi, { role: 'assistant', content: 'The answer is ' }]
    const refused = encoded({ messages }, { prefill: false })
    assert.equal(refused.body.messages.at(-1)?.role, 'user')
    assert.deepEqual(refused.noted, ['translated messages'])
    assert.deepEqual(encoded({ messages }, { prefill: true }).body.messages.at(-1)?.content, [
      { type: 'text', text: 'The answer is' },
    ])
  })

  test('names of speakers are noted', () => {
    assert.deepEqual(
      talk([
        { ...hi, name: 'Ada' },
        { ...hi, name: 'Bob' },
      ]).noted,
      ['dropped messages.name'],
    )
  })

  test('a refusal in the history is text', () => {
    const { body } = talk([hi, { role: 'assistant', content: null, refusal: 'No.' } as Messages[number], hi])
    assert.deepEqual(body.messages[1]?.content, [{ type: 'text', text: 'No.' }])
  })
})

describe('tools in the history', () => {
  test('parallel results come in the one turn after the calls, before any text in it', () => {
    const { body } = talk([
      hi,
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [weather('call_1', '{"city":"Oslo"}'), weather('call_2', '')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'user', content: 'Well?' },
      {
        role: 'tool',
        tool_call_id: 'call_2',
        content: [{ type: 'text', text: 'sun', cache_control: { type: 'ephemeral' } }],
      },
    ])
    assert.deepEqual(body.messages.slice(1), [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'call_2', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: 'rain' },
          {
            type: 'tool_result',
            tool_use_id: 'call_2',
            content: [{ type: 'text', text: 'sun' }],
            cache_control: { type: 'ephemeral' },
          },
          { type: 'text', text: 'Well?' },
        ],
      },
    ])
  })

  test('ids of other providers are rewritten in the call and in its result', () => {
    const [, call, result] = talk([
      hi,
      { role: 'assistant', tool_calls: [weather('functions.weather:0')] },
      { role: 'tool', tool_call_id: 'functions.weather:0', content: 'rain' },
    ]).body.messages
    const id = 'functions_2eweather_3a0'
    assert.partialDeepStrictEqual(call, { content: [{ id }] })
    assert.partialDeepStrictEqual(result, { content: [{ tool_use_id: id }] })
  })

  test('the legacy form: function_call, and a result that names the function', () => {
    const { body } = talk([
      hi,
      { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
      { role: 'function', name: 'weather', content: 'rain' },
    ])
    const id = 'call_1'
    assert.deepEqual(body.messages[1]?.content, [{ type: 'tool_use', id, name: 'weather', input: {} }])
    assert.deepEqual(body.messages[2]?.content, [{ type: 'tool_result', tool_use_id: id, content: 'rain' }])
  })

  test('arguments that are not an object are sent raw, with a note; errors are marked', () => {
    const { body, noted } = talk([
      hi,
      { role: 'assistant', tool_calls: [weather('a', '{"city":')] },
      { role: 'tool', tool_call_id: 'a', content: '', is_error: true } as Messages[number],
    ])
    assert.partialDeepStrictEqual(body.messages[1], { content: [{ input: { _raw: '{"city":' } }] })
    assert.deepEqual(body.messages[2]?.content, [{ type: 'tool_result', tool_use_id: 'a', is_error: true }])
    assert.deepEqual(noted, ['translated messages.tool_calls'])
  })

  test('calls without a name and results without a call are refused', () => {
    refuses([hi, { role: 'assistant', tool_calls: [{ id: 'a' }] }], ['messages', 1, 'tool_calls', 0])
    refuses([hi, { role: 'tool', content: 'rain' }], ['messages', 1, 'tool_call_id'])
  })
})

describe('images', () => {
  test('by address and by bytes, in both spellings', () => {
    assert.deepEqual(blocksOf({ type: 'image_url', image_url: { url: 'https://a.test/a.png' } }), [
      { type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } },
    ])
    assert.deepEqual(blocksOf({ type: 'image_url', image_url: `data:image/jpg;base64,${PIXEL}` }), [
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: PIXEL } },
    ])
  })

  test('a detail is noted; unsupported images are refused', () => {
    const url = 'https://a.test/a.png'
    assert.deepEqual(
      talk([{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'high' } }] }]).noted,
      ['dropped messages.image_url.detail'],
    )
    for (const bad of ['http://a.test/a.png', 'data:image/tiff;base64,AAAA', 'data:image/svg+xml,<svg/>', ''])
      refusesPart({ type: 'image_url', image_url: { url: bad } })
    refusesPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })
  })
})

describe('files', () => {
  test('pdf, bare or as a data URL, with its name', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: PDF }
    assert.deepEqual(blocksOf({ type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }), [
      { type: 'document', source, title: 'a.pdf' },
    ])
    assert.deepEqual(blocksOf({ type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}` } }), [
      { type: 'document', source },
    ])
  })

  test('text of all kinds is sent as text', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'Grüße' }
    for (const prefix of [
      '',
      'data:text/markdown;charset=utf-8;base64,',
      'data:application/json;base64,',
      'data:;base64,',
    ])
      assert.deepEqual(blocksOf({ type: 'file', file: { file_data: prefix + base64('Grüße') } }), [
        { type: 'document', source },
      ])
  })

  test('an image in a file part is an image', () => {
    assert.partialDeepStrictEqual(blocksOf({ type: 'file', file: { file_data: PIXEL } }), [{ type: 'image' }])
    assert.partialDeepStrictEqual(blocksOf({ type: 'file', file: { file_id: 'https://a.test/b.jpg?x=1' } }), [
      { type: 'image' },
    ])
  })

  test('an address, and a file kept at the provider, which needs its beta', () => {
    assert.deepEqual(blocksOf({ type: 'file', file: { file_id: 'https://a.test/b.pdf' } }), [
      { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } },
    ])
    const kept = encoded({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file_011' } }] }] })
    assert.deepEqual(kept.body.messages[0]?.content, [
      { type: 'document', source: { type: 'file', file_id: 'file_011' } },
    ])
    assert.equal(kept.wire.headers['anthropic-beta'], 'files-api-2025-04-14')
  })

  test('files that the format or the model does not accept are refused', () => {
    refusesPart({ type: 'file', file: { file_data: `data:application/zip;base64,${base64('PK')}` } })
    refusesPart({ type: 'file', file: { file_data: '/////w==' } })
    refusesPart({ type: 'file', file: { file_id: 'http://a.test/b.pdf' } })
    const messages: Messages = [{ role: 'user', content: [{ type: 'file', file: { file_data: PDF } }] }]
    assert.throws(() => encoded({ messages }, { lacks: ['files'] }), { code: 'validation_error' })
  })

  test('only the user sends images', () => {
    const part = { type: 'image_url', image_url: { url: 'https://a.test/a.png' } } as const
    refuses([hi, { role: 'assistant', content: [part] }], ['messages', 1, 'content', 0])
    refuses([{ role: 'system', content: [part] }, hi], ['messages', 0, 'content', 0])
  })
})

function talk(messages: Messages) {
  return encoded({ messages })
}

function blocksOf(part: Exclude<Messages[number]['content'], string | null | undefined>[number]) {
  return talk([{ role: 'user', content: [part] }]).body.messages[0]?.content
}

function refuses(messages: Messages, loc: (string | number)[]) {
  assert.throws(
    () => talk(messages),
    (error: Error & { status: number; details: { detail: { loc: unknown; msg: string }[] } }) => {
      assert.equal(error.status, 422)
      assert.deepEqual(error.details.detail[0]?.loc, ['body', ...loc])
      assert.match(error.message, /Anthropic/)
      return true
    },
  )
}

function refusesPart(part: Parameters<typeof blocksOf>[0]) {
  refuses([{ role: 'user', content: [part] }], ['messages', 0, 'content', 0])
}
