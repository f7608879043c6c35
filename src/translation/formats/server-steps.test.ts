import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatChunk, ChatCompletion, Delta, ReplyMessage } from '../../contract/chat-reply.ts'
import type { MessagesRequest } from '../../contract/messages.ts'
import { DIALECTS } from '../dialects/index.ts'
import { Notes } from '../dialects/notes.ts'
import type { Fields } from '../../base/schema/record.ts'
import { placeBlock } from '../wire/answer.ts'
import { GeminiEvents } from './gemini/gemini-events.ts'
import { citationsOf } from './messages/citations.ts'
import { fromCompletion as toMessage } from './messages/from-completion.ts'
import { MessageEvents } from './messages/message-events.ts'
import { ownChanges } from './messages/own-body.ts'
import { toChat as chatOfMessages } from './messages/to-chat.ts'
import { ownBody } from './responses/own-body.ts'
import { readResponse } from './responses/read-response.ts'
import { ResponseDecoder } from './responses/response-decoder.ts'
import { itemsIn } from './responses/read-items.ts'
import { ResponseEvents } from './responses/response-events.ts'
import { fromCompletion as toResponse } from './responses/response-object.ts'
import { toChat as chatOfResponses } from './responses/to-chat.ts'
import {
  REQUEST,
  USAGE,
  HEAD,
  SEARCH,
  FOUND,
  LISTED,
  COMPACTION,
  type Sample,
  SAMPLES,
} from './fixtures/server-steps.ts'

for (const { name, content, items } of SAMPLES) {
  describe(`what ${name} did by itself`, () => {
    const message = { role: 'assistant' as const, content: 'Gates', provider_content: content }
    const chunks = chunksOf(content)

    test('are items of the responses format, whole and streamed', () => {
      const whole = toResponse(completionOf(message), REQUEST).output.filter(({ type }) => type !== 'reasoning')
      assert.deepEqual(whole.map(plainItem), items)
      const events = eventsIn(new ResponseEvents(REQUEST), chunks)
      const streamed = (events.at(-1)!.response as { output: Fields[] }).output
      assert.deepEqual(streamed.filter(({ type }) => type !== 'reasoning').map(plainItem), items)
      const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Fields)
      assert.deepEqual(new Set(done.map(({ id }) => id)), new Set(streamed.map(({ id }) => id)))
    })

    test('comes back from the responses format to the same provider, and only to it', () => {
      const whole = toResponse(completionOf(message), REQUEST).output
      const events = eventsIn(new ResponseEvents(REQUEST), chunks)
      const streamed = (events.at(-1)!.response as { output: Fields[] }).output
      for (const output of [whole, streamed]) {
        const { request, untranslatable } = chatOfResponses({ model: 'p/m', input: output }, ['p'])
        const assistant = request.messages.find(({ role }) => role === 'assistant')
        assert.deepEqual(assistant?.provider_content, content)
        assert.deepEqual(untranslatable, [])
        const other = chatOfResponses({ model: 'q/m', input: output }, ['q']).request.messages
        assert.ok(other.every((one) => one.provider_content === undefined))
        const notes = new Notes()
        const sent = ownBody({ input: output }, 'openai', notes).input as Fields[]
        assert.deepEqual(
          sent.map(({ type }) => type),
          ['message'],
        )
        const types = output.map(({ type }) => `input.${type}`).filter((field) => field !== 'input.message')
        assert.deepEqual(new Set(notes.list.map(({ field }) => field)), new Set(types))
      }
    })

    test('comes back from the messages format', () => {
      const whole = toMessage(completionOf(message)).content as Fields[]
      const streamed = foldMessage(eventsIn(new MessageEvents('req_1'), chunks))
      for (const blocks of [whole, streamed]) {
        const turn = { role: 'assistant' as const, content: blocks }
        const body = { model: 'p/m', messages: [turn] } as MessagesRequest
        const [assistant] = chatOfMessages(body, ['p']).messages
        assert.deepEqual(assistant?.provider_content, content)
        assert.equal(assistant?.content, 'Gates')
      }
    })
  })
}

test('a provider of the messages format gets its own blocks, and none that the gateway made for others', () => {
  const [anthropic, gemini] = SAMPLES
  const own = toMessage(completionOf({ role: 'assistant', content: 'Gates', provider_content: anthropic!.content }))
  assert.deepEqual(own.content.slice(0, 5), [COMPACTION, LISTED, SEARCH, FOUND, { type: 'text', text: 'Gates' }])
  const made = toMessage(completionOf({ role: 'assistant', content: 'Gates', provider_content: gemini!.content }))
  assert.deepEqual(
    made.content.map(({ type }) => type),
    ['redacted_thinking', 'server_tool_use', 'code_execution_tool_result', 'text'],
  )
  const notes = new Notes()
  const [turn] = ownChanges({ messages: [{ role: 'assistant', content: made.content }] }, notes).set
    .messages as Fields[]
  assert.deepEqual(turn?.content, [{ type: 'text', text: 'Gates' }])
  assert.deepEqual(
    notes.list.map(({ field }) => field),
    ['redacted_thinking', 'server_tool_use', 'code_execution_tool_result'].map((type) => `messages.content.${type}`),
  )
})

test('a step without a result is in the stream of the messages format too', () => {
  const part = { executableCode: { language: 'PYTHON', code: '1+1' } }
  const content = { type: 'gemini', blocks: [{ type: 'part', part }] }
  const [type] = foldMessage(eventsIn(new MessageEvents('req_1'), chunksOf(content))).map((block) => block.type)
  assert.deepEqual(type, 'server_tool_use')
})

test('a step of Google that comes in an event of its own is in its place, once', () => {
  const code = { executableCode: { language: 'PYTHON', code: '6*7' } }
  const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42' } }
  const decoder = DIALECTS.gemini.chat.decoder({ model: 'm', messages: [] })
  const parts = [[{ text: 'So: ' }], [code], [result, { text: '42.' }]]
  const contents = parts.map((some) => ({ responseId: 'r', candidates: [{ content: { parts: some } }] }))
  const events = [...contents, { candidates: [{ finishReason: 'STOP' }] }]
  const chunks = events.flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
  assert.deepEqual(
    foldMessage(eventsIn(new MessageEvents('req_1'), chunks)).map(({ type }) => type),
    ['text', 'server_tool_use', 'code_execution_tool_result', 'text', 'redacted_thinking'],
  )
  const google = new GeminiEvents({ reply: (reply) => `${JSON.stringify(reply)}\n`, end: String, failure: String })
  const replies = `${google.chunks(chunks)}${google.end()}`.split('\n').filter((line) => line.startsWith('{'))
  const shown = replies.flatMap((reply) => JSON.parse(reply).candidates[0].content.parts)
  assert.deepEqual(shown, [...parts.flat(), { text: '' }])
})

test('an item that is too large does not keep later ones from being carried', () => {
  const large = { type: 'web_search_call', id: 'ws_1', text: 'x'.repeat(8_000_001) }
  const { blocks, omitted } = itemsIn([large, { type: 'web_search_call', id: 'ws_2' }]).provider_content!
  assert.deepEqual(blocks, [{ type: 'item', item: { type: 'web_search_call', id: 'ws_2' } }])
  assert.deepEqual(omitted, [{ type: 'web_search_call', reason: 'too large' }])
})

test('what Groq executed are items too, once', () => {
  const executed_tools = [
    { index: 0, type: 'search', arguments: '{"query":"gates"}', output: 'A', search_results: { results: [] } },
    { index: 1, type: 'python', arguments: '{"code":"1+1"}', output: '2' },
  ]
  const message = { role: 'assistant', content: 'Two', executed_tools } as ReplyMessage
  const whole = toResponse(completionOf(message), REQUEST).output
  const pieces = [{ executed_tools: [{ ...executed_tools[0], output: null }] }, { executed_tools }, { executed_tools }]
  const deltas = [...pieces, { content: 'Two' }] as Delta[]
  const events = eventsIn(
    new ResponseEvents(REQUEST),
    deltas.map((delta) => chunkOf(delta)),
  )
  const types = ['web_search_call', 'code_interpreter_call', 'message']
  assert.deepEqual(
    whole.map(({ type }) => type),
    types,
  )
  assert.deepEqual(
    (events.at(-1)!.response as { output: Fields[] }).output.map(({ type }) => type),
    types,
  )
})

describe('items of a provider of the responses format', () => {
  const annotation = { type: 'url_citation', start_index: 0, end_index: 5, url: 'https://a.test/', title: 'A' }
  const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'gates' } }
  const unknown = { type: 'hologram_call', id: 'ho_1', frames: [1] }
  const text = { type: 'output_text', text: 'Gates', annotations: [annotation] }
  const output = [item, unknown, { type: 'message', id: 'msg_1', role: 'assistant', content: [text] }]
  const response = { id: 'r', object: 'response', status: 'completed', output }
  const expected = {
    type: 'responses',
    blocks: [
      { type: 'item', item },
      { type: 'item', item: unknown },
      { type: 'text', start_index: 0, end_index: 5 },
    ],
  }
  const nested = [{ type: 'url_citation', url_citation: { ...annotation, type: undefined } }]

  test('stay, with the sources of the text, if hooks change the answer', () => {
    const { message } = readResponse(response).choices[0]!
    assert.deepEqual(message.provider_content, expected)
    assert.deepEqual(plain(message.annotations), plain(nested))
    const written = toResponse(completionOf(message), REQUEST).output.filter(({ type }) => type !== 'reasoning')
    assert.deepEqual(written.slice(0, 2), [item, unknown])
  })

  test('stay in streams', () => {
    const decoder = new ResponseDecoder()
    const events = [
      { type: 'response.created', response: { id: 'r' } },
      ...[item, unknown].map((one, output_index) => ({ type: 'response.output_item.done', output_index, item: one })),
      { type: 'response.content_part.added' },
      { type: 'response.output_text.delta', delta: 'Gates' },
      { type: 'response.output_text.annotation.added', annotation },
      { type: 'response.completed', response },
    ]
    const chunks = events.flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
    const last = chunks.at(-2)!.choices[0]!.delta
    assert.deepEqual(last.provider_content, expected)
    assert.deepEqual(plain(last.annotations), plain(nested))
    const written = eventsIn(
      new ResponseEvents(REQUEST),
      chunks.map((chunk) => ({ ...chunk, ...HEAD })),
    )
    const done = written.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    assert.deepEqual(done.slice(0, 2), [item, unknown])
  })
})

describe('citations', () => {
  const page = { start_index: 0, end_index: 5, title: 'B', location: 'page_location', document_index: 0 }
  const document = (fields: Fields) => ({ type: 'document_citation', document_citation: { ...page, ...fields } })

  test('of documents are citations of the messages format', () => {
    const fields = { start_page_number: 2, end_page_number: 3, cited_text: 'gate' }
    assert.deepEqual(citationsOf([document(fields)], 'Gates'), [
      { type: 'page_location', document_title: 'B', document_index: 0, ...fields },
    ])
  })

  test('of Cohere name each source', () => {
    const sources = [{ type: 'document', id: 'doc-0', document: { id: 'doc-0', title: 'C', snippet: 'A gate.' } }]
    const annotation = {
      type: 'document_citation',
      document_citation: { start_index: 0, end_index: 5, text: 'Gates', sources },
    }
    const [citation] = citationsOf([annotation], 'Gates')
    const { source, title, cited_text } = citation!
    assert.deepEqual([source, title, cited_text], ['doc-0', 'C', 'A gate.'])
    const { output } = toResponse(
      completionOf({ role: 'assistant', content: 'Gates', annotations: [annotation] }),
      REQUEST,
    )
    const [part] = output[0]!.content as { annotations: Fields[] }[]
    const { type, file_id, filename } = part!.annotations[0]!
    assert.deepEqual([type, file_id, filename], ['file_citation', 'doc-0', 'C'])
  })

  test('do not repeat a long answer for each of many sources', () => {
    const text = 'x'.repeat(100_000)
    const span = { start_index: 0, end_index: text.length, url: 'https://a.test/', title: 'A' }
    const citations = citationsOf(
      Array.from({ length: 5_000 }, () => ({ type: 'url_citation', url_citation: span })),
      text,
    )
    assert.ok(JSON.stringify(citations).length < 400_000)
    assert.equal(citations.length, 1_000)
  })
})

function plainItem({ id: _, ...item }: Fields): unknown {
  return item.type === 'message' ? 'message' : item
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function completionOf(message: ReplyMessage): ChatCompletion {
  return { ...HEAD, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }
}

/** A stream that has each block in its place, and the whole content before its end. */
function chunksOf(content: Sample['content']): ChatChunk[] {
  const deltas = content.blocks.map((block): Delta => {
    if (block.type === 'text') return { content: 'Gates' }
    const inner = (block.part ?? block.block ?? block) as Fields
    return placeBlock({}, { type: content.type, block: inner })
  })
  return [...deltas, { provider_content: content }].map((delta) => chunkOf(delta))
}

function chunkOf(delta: Delta): ChatChunk {
  return { ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] }
}

function eventsIn(format: MessageEvents | ResponseEvents, chunks: ChatChunk[]): (Fields & { type: string })[] {
  const hasEnd = chunks.some(({ choices }) => choices.some(({ finish_reason }) => finish_reason))
  const end: ChatChunk = { ...chunkOf({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const counted: ChatChunk = { ...chunkOf({}), choices: [], usage: USAGE }
  const text = format.chunks([...chunks, ...(hasEnd ? [] : [end]), counted]) + format.end()
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
}

function foldMessage(events: (Fields & { type: string })[]): Fields[] {
  const blocks: Fields[] = []
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') blocks[Number(index)] = { ...(content_block as Fields) }
    const { text, partial_json } = (delta ?? {}) as Fields
    if (partial_json) blocks[Number(index)]!.input = JSON.parse(String(partial_json))
    if (type === 'content_block_delta' && text) blocks[Number(index)]!.text = `${blocks[Number(index)]!.text}${text}`
  }
  return blocks
}
