import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messagesOf } from '../../../test/fakes/fold-chunks.ts'
import type { ReplyMessage } from '../../contract/chat-reply.ts'
import type { Fields } from '../../base/schema/record.ts'
import { DIALECTS } from './index.ts'

const SPAN = { start_index: 0, end_index: 5 }

describe('sources that Anthropic cites', () => {
  const document = { document_index: 0, document_title: 'Gates', file_id: null, cited_text: 'a gate' }
  const found = {
    search_result_index: 0,
    start_block_index: 0,
    end_block_index: 1,
    title: 'Found',
    cited_text: 'a gate',
  }
  const cases: [Fields, Fields][] = [
    [
      { type: 'char_location', ...document, start_char_index: 3, end_char_index: 9 },
      { ...about('char_location'), start_char_index: 3, end_char_index: 9 },
    ],
    [
      { type: 'page_location', ...document, start_page_number: 1, end_page_number: 2 },
      { ...about('page_location'), start_page_number: 1, end_page_number: 2 },
    ],
    [
      { type: 'content_block_location', ...document, file_id: 'file_1', start_block_index: 1, end_block_index: 2 },
      { ...about('content_block_location'), file_id: 'file_1', start_block_index: 1, end_block_index: 2 },
    ],
    [
      { type: 'search_result_location', ...found, source: 'kb/7' },
      { ...SPAN, location: 'search_result_location', ...found, source: 'kb/7' },
    ],
    [
      { type: 'hologram_location', title: 'New', cited_text: 'x', frame: 3 },
      { ...SPAN, title: 'New', location: 'hologram_location', frame: 3, cited_text: 'x' },
    ],
  ]

  for (const [citation, expected] of cases) {
    test(String(citation.type), () => {
      const content = [{ type: 'text', text: 'Gates', citations: [citation] }]
      const { message } = DIALECTS.anthropic.chat.decode(reply(content)).choices[0]!
      assert.deepEqual(message.annotations, [{ type: 'document_citation', document_citation: expected }])
      const streamed = decode('anthropic', [
        { type: 'message_start', message: { id: 'm' } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Gates' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      ])
      assert.deepEqual(streamed.annotations, message.annotations)
    })
  }

  test('a search result with an address is a page', () => {
    const citation = { type: 'search_result_location', ...found, source: 'https://a.test/' }
    const { message } = DIALECTS.anthropic.chat.decode(reply([{ type: 'text', text: 'Gates', citations: [citation] }]))
      .choices[0]!
    const [{ type, url_citation } = {}] = message.annotations ?? []
    assert.deepEqual(
      [type, (url_citation as Fields).url, (url_citation as Fields).title],
      ['url_citation', 'https://a.test/', 'Found'],
    )
  })

  test('a whole document is not quoted', () => {
    const citation = { type: 'char_location', ...document, cited_text: 'x'.repeat(1_000_000) }
    const { message } = DIALECTS.anthropic.chat.decode(reply([{ type: 'text', text: 'Gates', citations: [citation] }]))
      .choices[0]!
    const [{ document_citation } = {}] = message.annotations ?? []
    assert.equal(((document_citation as Fields).cited_text as string).length, 2_000)
  })

  function about(location: string): Fields {
    return { ...SPAN, title: 'Gates', location, document_index: 0, cited_text: 'a gate' }
  }

  function reply(content: Fields[]): string {
    return JSON.stringify({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn' })
  }
})

describe('sources that hosts list beside the answer', () => {
  const search_results = [
    { title: 'A', url: 'https://a.test/', date: null },
    { title: 'B', url: 'https://b.test/', snippet: 'x' },
  ]
  const citations = ['https://a.test/', 'https://b.test/']
  const text = 'Gates[2] and doors[1][9].'
  const b = { start_index: 5, end_index: 8, url: 'https://b.test/' }
  const a = { start_index: 18, end_index: 21, url: 'https://a.test/' }
  const lists: Record<string, Fields> = {
    perplexity: { search_results, citations },
    'addresses only': { citations },
    'Z.ai': { web_search: search_results.map(({ title, url }) => ({ title, link: url, refer: 'ref_1' })) },
    Alibaba: { search_info: { search_results } },
  }

  for (const [name, listed] of Object.entries(lists)) {
    test(`${name}: they are where the answer names them, whole and streamed`, () => {
      const titles = name === 'addresses only' ? ['', ''] : ['B', 'A']
      const expected = [
        { ...b, title: titles[0] },
        { ...a, title: titles[1] },
      ].map(cited)
      const message = { role: 'assistant', content: text }
      const whole = { ...replyOf({ message, finish_reason: 'stop' }), ...listed }
      assert.deepEqual(DIALECTS.openai.chat.decode(JSON.stringify(whole)).choices[0]!.message.annotations, expected)
      const pieces = ['Gates[', '2] and doors', '[1][9].']
      const events = pieces.map((content) => replyOf({ delta: { content }, finish_reason: null }))
      const end = { ...replyOf({ delta: {}, finish_reason: 'stop' }), ...listed }
      assert.deepEqual(decode('openai', [...events, end]).annotations, expected)
    })
  }

  test('without marks, each is a source of the whole answer', () => {
    const whole = { ...replyOf({ message: { role: 'assistant', content: 'Gates' }, finish_reason: 'stop' }), citations }
    const { message } = DIALECTS.openai.chat.decode(JSON.stringify(whole)).choices[0]!
    assert.deepEqual(
      message.annotations,
      citations.map((url) => cited({ ...SPAN, url, title: '' })),
    )
  })

  test("a host's own annotations stay", () => {
    const annotations = [cited({ ...SPAN, url: 'https://c.test/', title: 'C' })]
    const message = { role: 'assistant', content: text, annotations }
    const whole = { ...replyOf({ message, finish_reason: 'stop' }), citations }
    assert.deepEqual(DIALECTS.openai.chat.decode(JSON.stringify(whole)).choices[0]!.message.annotations, annotations)
  })

  function cited(url_citation: Fields): Fields {
    return { type: 'url_citation', url_citation }
  }

  function replyOf(choice: Fields): Fields {
    return { id: 'c1', created: 1, model: 'm', choices: [{ index: 0, ...choice }] }
  }
})

function decode(dialect: 'anthropic' | 'openai', events: Fields[]): ReplyMessage {
  const decoder = DIALECTS[dialect].chat.decoder({ model: 'm', messages: [], stream: true })
  return messagesOf(events.flatMap((event) => decoder.feed({ data: JSON.stringify(event) })))[0] as ReplyMessage
}
