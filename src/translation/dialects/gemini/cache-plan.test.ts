import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest, Message } from '../../../contract/chat.ts'
import { gemini } from './index.ts'

const MARK = { cache_control: { type: 'ephemeral' as const } }
const LONG = 'All of it. '.repeat(1000)
const STUDIO = { baseUrl: 'https://studio.test/v1beta', model: 'gemini-test' }
const VERTEX = {
  baseUrl: 'https://aiplatform.test/v1/projects/p/locations/global/publishers/google',
  model: 'gemini-test',
}

describe('the block ends at the last mark', () => {
  test('within a message of the user', () => {
    const { created, body, notes } = planned([user(text(LONG, MARK), text('Question?'))])
    assert.deepEqual(created, { model: 'models/gemini-test', contents: [ofUser(LONG)], ttl: '300s' })
    assert.deepEqual(body, { contents: [ofUser('Question?')], cachedContent: 'cachedContents/1' })
    assert.deepEqual(notes, [])
  })

  test('of two marks the last one decides, with a note', () => {
    const messages = [
      { role: 'system', content: [text(LONG, MARK)] },
      user(text('First', MARK)),
      { role: 'assistant', content: 'Yes.' },
      user(text('Second')),
    ] as Message[]
    const { created, body, notes } = planned(messages)
    assert.deepEqual(created.systemInstruction, { parts: [{ text: LONG }] })
    assert.deepEqual(created.contents, [ofUser('First')])
    assert.deepEqual(body, {
      contents: [{ role: 'model', parts: [{ text: 'Yes.' }] }, ofUser('Second')],
      cachedContent: 'cachedContents/1',
    })
    assert.deepEqual(notes, ['translated cache_control'])
  })

  test('instructions, tools and the choice of tools always belong to it', () => {
    const tools = [{ type: 'function', function: { name: 'f', description: LONG }, ...MARK }]
    const { created, body } = planned([{ role: 'system', content: 'Be brief.' }, user(text('Hi'))], {
      tools,
      tool_choice: 'required',
      temperature: 0,
    })
    assert.deepEqual(Object.keys(created).sort(), ['model', 'systemInstruction', 'toolConfig', 'tools', 'ttl'])
    assert.deepEqual(body, {
      contents: [ofUser('Hi')],
      generationConfig: { temperature: 0 },
      cachedContent: 'cachedContents/1',
    })
  })

  test('the last part always stays in the request', () => {
    const whole = planned([user(text(LONG), text('Question?', MARK))])
    assert.deepEqual(whole.created.contents, [ofUser(LONG)])
    assert.deepEqual(whole.body.contents, [ofUser('Question?')])
    const one = planned([{ role: 'system', content: LONG }, user(text('Question?', MARK))])
    assert.equal(one.created.contents, undefined)
    assert.deepEqual(one.body.contents, [ofUser('Question?')])
  })

  test('a mark on a message, an answer or a result covers all of it', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      user(text(LONG)),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: [text('Sun.', MARK)] },
      { role: 'user', content: 'And then?' },
    ] as Message[]
    const { created, body } = planned(messages)
    assert.deepEqual(
      created.contents.map(({ role }: { role: string }) => role),
      ['user', 'model', 'user'],
    )
    assert.deepEqual(body.contents, [ofUser('And then?')])
    const marked = planned([{ role: 'user', content: LONG, ...MARK } as Message, user(text('Hi'))])
    assert.deepEqual(marked.body.contents, [ofUser('Hi')])
  })
})

test('a lifetime is one of two', () => {
  const kept = (ttl: string) => planned([user(text(LONG, { cache_control: { type: 'ephemeral', ttl } }), text('Q'))])
  assert.deepEqual([kept('1h').created.ttl, kept('1h').notes], ['3600s', []])
  assert.deepEqual([kept('900d').created.ttl, kept('900d').notes], ['3600s', ['translated cache_control.ttl']])
})

test('too little is not kept, with a note; the minimum is that of the model', () => {
  const short = encoded([user(text('Hi', MARK), text('there'))])
  assert.deepEqual([short.cache, short.notes[0]?.field], [undefined, 'cache_control'])
  const messages = [user(text(LONG, MARK), text('Q'))]
  assert.equal(encoded(messages, {}, { ...STUDIO, traits: { cacheMinTokens: 4096 } }).cache, undefined)
})

test('nothing is kept without a mark, or if own fields replace the contents', () => {
  assert.equal(encoded([user(text(LONG), text('Q'))]).cache, undefined)
  const own = { extra_body: { contents: [] } }
  assert.equal(encoded([user(text(LONG, MARK), text('Q'))], own).cache, undefined)
})

test('Vertex has its own address and its own name of the model', () => {
  const { cache } = encoded([user(text(LONG, MARK), text('Q'))], {}, VERTEX)
  assert.equal(cache?.create.url, 'https://aiplatform.test/v1/projects/p/locations/global/cachedContents')
  const { model } = JSON.parse(String(cache?.create.body))
  assert.equal(model, 'projects/p/locations/global/publishers/google/models/gemini-test')
})

function planned(messages: Message[], fields: Partial<ChatRequest> = {}) {
  const { cache, notes } = encoded(messages, fields)
  const created = JSON.parse(String(cache?.create.body))
  const noted = notes.map(({ action, field }) => `${action} ${field}`)
  return { created, body: JSON.parse(cache!.using('cachedContents/1')), notes: noted }
}

function encoded(messages: Message[], fields: Partial<ChatRequest> = {}, target: object = STUDIO) {
  return gemini.chat.encode({ request: { model: 'm', messages, ...fields } }, target as typeof STUDIO)
}

function user(...content: object[]): Message {
  return { role: 'user', content } as Message
}

function text(words: string, more: object = {}): object {
  return { type: 'text', text: words, ...more }
}

function ofUser(words: string) {
  return { role: 'user', parts: [{ text: words }] }
}
