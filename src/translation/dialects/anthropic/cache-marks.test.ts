import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { encoded } from './fixtures/encoded.ts'
import type { MessagesBody } from './messages-body.ts'

const MARK = { type: 'ephemeral' } as const

describe('marks', () => {
  test('stay where they are: on a tool, in the system text, on parts and on messages', () => {
    const { body, noted } = encoded({
      tools: [{ type: 'function', function: { name: 'a' }, cache_control: MARK }],
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B', cache_control: MARK },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'C', cache_control: { ...MARK, ttl: null } }] },
        { role: 'user', content: 'D', cache_control: MARK } as ChatRequest['messages'][number],
      ],
    })
    assert.deepEqual(body.tools?.[0]?.cache_control, MARK)
    assert.deepEqual(body.system, [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B', cache_control: MARK },
    ])
    assert.deepEqual(marksOf(body), [MARK, MARK])
    assert.deepEqual(noted, [])
  })

  const lives = [
    ...[
      ['5m', '5m'],
      ['1h', '1h'],
      ['300s', '5m'],
      ['3600', '1h'],
      ['3600s', '1h'],
      ['60', '5m'],
      ['30m', '5m'],
    ],
    ...[
      ['40m', '1h'],
      ['12h', '1h'],
      ['1d', '1h'],
      ['soon', undefined],
      ['', undefined],
    ],
  ]
  for (const [ttl, expected] of lives) {
    test(`a life of "${ttl}" is ${expected ?? 'the default'}`, () => {
      const { body, noted } = encoded({ messages: parts([{ text: 'A', ttl }]) })
      assert.deepEqual(marksOf(body), [{ ...MARK, ...(expected && { ttl: expected }) }])
      assert.deepEqual(noted, ttl === expected ? [] : ['translated cache_control.ttl'])
    })
  }

  test('of adjacent marks the last one stays if there are more than four', () => {
    const { body, noted } = encoded({
      messages: parts(Array.from({ length: 6 }, (_, at) => ({ text: `${at}`, ttl: null }))),
    })
    assert.deepEqual(markedTexts(body), ['5'])
    assert.deepEqual(noted, ['translated cache_control'])
  })

  test('of more than four apart, the first and the last three stay', () => {
    const some = Array.from({ length: 12 }, (_, at) => ({ text: `${at}`, ...(at % 2 === 0 && { ttl: null }) }))
    assert.deepEqual(markedTexts(encoded({ messages: parts(some) }).body), ['0', '6', '8', '10'])
  })

  test('a long life after a short one is shortened', () => {
    const { body, noted } = encoded({
      messages: parts([
        { text: 'A', ttl: '1h' },
        { text: 'B', ttl: '5m' },
        { text: 'C', ttl: '1h' },
      ]),
    })
    assert.deepEqual(
      marksOf(body).map((mark) => mark?.ttl),
      ['1h', '5m', '5m'],
    )
    assert.deepEqual(noted, ['translated cache_control.ttl'])
  })

  test('marks with too little text before them are dropped without a note', () => {
    const messages = parts([
      { text: 'x'.repeat(2000), ttl: null },
      { text: 'x'.repeat(2096), ttl: null },
    ])
    const { body, noted } = encoded({ messages }, { cacheMinTokens: 1024 })
    assert.deepEqual(
      markedTexts(body).map(({ length }) => length),
      [2096],
    )
    assert.deepEqual(noted, [])
  })

  test('a document is never too little', () => {
    const file = { type: 'file', file: { file_data: 'JVBERi0xLjQK' }, cache_control: MARK } as const
    const { body } = encoded({ messages: [{ role: 'user', content: [file] }] }, { cacheMinTokens: 4096 })
    assert.deepEqual(marksOf(body), [MARK])
  })
})

function parts(list: { text: string; ttl?: string | null | undefined }[]): ChatRequest['messages'] {
  const content = list.map(({ text, ...mark }) => {
    return { type: 'text' as const, text, ...('ttl' in mark && { cache_control: { ...MARK, ttl: mark.ttl ?? null } }) }
  })
  return [{ role: 'user', content }]
}

function markedTexts({ messages }: MessagesBody): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'text' && block.cache_control ? [block.text] : [])),
  )
}

function marksOf({ messages }: MessagesBody) {
  const blocks = messages.flatMap(({ content }) => content)
  return blocks.flatMap((block) => ('cache_control' in block && block.cache_control ? [block.cache_control] : []))
}
