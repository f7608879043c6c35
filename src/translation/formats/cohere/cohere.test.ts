import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { foldChunks } from '../../../../test/fakes/fold-chunks.ts'
import type { ChatChunk, ChatCompletion, Delta, ReplyMessage } from '../../../contract/chat-reply.ts'
import { recordings } from '../../dialects/cohere/fixtures/recordings.ts'
import { cohere } from '../../dialects/cohere/index.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { HEAD, USAGE } from '../fixtures/server-steps.ts'
import { ChatEvents } from './chat-events.ts'
import { fromCompletion } from './from-completion.ts'

type Event = Fields & { type: string; delta?: { message?: Fields; usage?: Fields } }

const SPAN = { start_index: 6, end_index: 9 }
const CALL = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }

describe('an answer of Cohere comes to its clients as it was', () => {
  for (const { name, reply, events } of recordings) {
    test(`${name}, whole`, () => {
      const before = cohere.chat.decode(JSON.stringify(reply))
      const written = fromCompletion({ ...before, ...HEAD })
      assert.deepEqual(answerIn(cohere.chat.decode(JSON.stringify(written))), answerIn(before))
      const { tool_plan, citations = [] } = reply.message as Fields & { citations?: Fields[] }
      assert.equal((written.message as Fields).tool_plan, tool_plan)
      assert.deepEqual(sourcesIn(written.message.citations), sourcesIn(citations))
    })

    test(`${name}, streamed`, () => {
      const before = chunksOf(events)
      const written = eventsOf(before)
      const after = foldChunks(named(chunksOf(written)))
      assert.deepEqual(answerIn(after), answerIn(foldChunks(named(before))))
      for (const type of ['tool-plan-delta', 'citation-start', 'tool-call-start'])
        assert.equal(countOf(written, type), countOf(events, type), type)
      assert.equal(countOf(written, 'citation-end'), countOf(written, 'citation-start'))
    })
  }
})

describe('sources of other providers are citations of Cohere', () => {
  const text = 'Gates are open.'
  const cases: [string, Fields, Fields][] = [
    [
      'a page',
      { type: 'url_citation', url_citation: { ...SPAN, url: 'https://a.test/', title: 'A', cited_text: 'open' } },
      { type: 'document', id: 'https://a.test/', document: { url: 'https://a.test/', title: 'A', snippet: 'open' } },
    ],
    [
      'a place in a document',
      {
        type: 'document_citation',
        document_citation: { ...SPAN, title: 'B', document_index: 2, location: 'page_location', start_page_number: 1 },
      },
      {
        type: 'document',
        id: '2',
        document: { title: 'B', document_index: 2, location: 'page_location', start_page_number: 1 },
      },
    ],
    [
      'a document that Google retrieved',
      { type: 'document_citation', document_citation: { ...SPAN, title: 'C', id: 'docs/7', cited_text: 'x' } },
      { type: 'document', id: 'docs/7', document: { title: 'C', id: 'docs/7', snippet: 'x' } },
    ],
    [
      'a file of a container',
      { type: 'container_file_citation', container_file_citation: { ...SPAN, file_id: 'cf', filename: 'a.csv' } },
      { type: 'document', id: 'cf', document: { file_id: 'cf', title: 'a.csv' } },
    ],
  ]

  for (const [name, annotation, source] of cases)
    test(`${name}, whole and streamed`, () => {
      const citation = { start: 6, end: 9, text: 'are', sources: [source], type: 'TEXT_CONTENT' }
      const message = { role: 'assistant', content: text, reasoning_content: 'Hm.', annotations: [annotation] }
      const { citations } = fromCompletion(completionOf(message as ReplyMessage)).message
      assert.deepEqual(citations, [{ ...citation, content_index: 1 }])
      const deltas = [
        { reasoning_content: 'Hm.' },
        { content: 'Gates ' },
        { content: 'are open.' },
        { annotations: [annotation] },
      ]
      const events = eventsOf(deltas.map((delta) => chunkOf(delta)))
      const started = events.find(({ type }) => type === 'citation-start')
      assert.deepEqual(started?.delta?.message?.citations, { ...citation, content_index: 1 })
    })

  test('sources of one passage share a citation; places count from the beginning of their block', () => {
    const cite = (start_index: number, url: string) => {
      return { type: 'url_citation', url_citation: { start_index, end_index: start_index + 4, url, title: '' } }
    }
    const annotations = [cite(0, 'https://a.test/'), cite(0, 'https://b.test/'), cite(7, 'https://c.test/')]
    const deltas = [{ content: 'Gates. ' }, { reasoning_content: 'Hm.' }, { content: 'Doors.' }, { annotations }]
    const cited = eventsOf(deltas.map((delta) => chunkOf(delta))).flatMap((event) => {
      const { citations } = event.delta?.message ?? {}
      return event.type === 'citation-start' ? [citations as Fields & { sources: Fields[] }] : []
    })
    assert.deepEqual(
      cited.map(({ start, end, text: said, content_index, sources }) => [
        start,
        end,
        said,
        content_index,
        sources.length,
      ]),
      [
        [0, 4, 'Gate', 0, 2],
        [0, 4, 'Door', 2, 1],
      ],
    )
  })

  test('many sources of a long text do not make the answer many times as long', () => {
    const content = 'x'.repeat(100_000)
    const annotations = Array.from({ length: 5_000 }, (_, at) => {
      return { type: 'url_citation', url_citation: { start_index: at, end_index: 100_000, url: 'https://a.test/' } }
    })
    const written = JSON.stringify(fromCompletion(completionOf({ role: 'assistant', content, annotations })))
    assert.ok(written.length < 700_000, String(written.length))
  })
})

describe('a text beside calls', () => {
  test('is content, once, whole and streamed; only Cohere has plans', () => {
    const message = { role: 'assistant', content: 'I look.', reasoning_content: 'Hm.', tool_calls: [CALL] }
    const whole = fromCompletion(completionOf(message as ReplyMessage)).message
    assert.deepEqual(whole, {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I look.' },
      ],
      tool_calls: [CALL],
    })
    const events = eventsOf(
      [{ reasoning_content: 'Hm.' }, { content: 'I look.' }, { tool_calls: [{ index: 0, ...CALL }] }].map((delta) =>
        chunkOf(delta),
      ),
    )
    const { content, reasoning_content } = messageIn(foldChunks(named(chunksOf(events))))
    assert.deepEqual([content, reasoning_content], ['I look.', 'Hm.'])
    assert.equal(countOf(events, 'tool-plan-delta'), 0)
    assert.equal(JSON.stringify(events).split('I look.').length, 2)
  })

  test('pieces of several calls may alternate, and calls of other tools are functions', () => {
    const custom = { id: 'c2', type: 'custom', custom: { name: 'sh', input: 'ls' } }
    const calls = [
      { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a"' } },
      { index: 1, ...custom },
      { index: 0, function: { arguments: ':1}' } },
    ]
    const events = eventsOf(calls.map((call) => chunkOf({ tool_calls: [call] })))
    assert.equal(countOf(events, 'tool-call-start'), 2)
    assert.equal(countOf(events, 'tool-call-end'), 2)
    const { tool_calls } = messageIn(foldChunks(named(chunksOf(events))))
    assert.deepEqual(tool_calls, [
      { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
      { id: 'c2', type: 'function', function: { name: 'sh', arguments: 'ls' } },
    ])
    const whole = fromCompletion(completionOf({ role: 'assistant', content: null, tool_calls: [custom] })).message
    assert.deepEqual(whole.tool_calls, [{ id: 'c2', type: 'function', function: { name: 'sh', arguments: 'ls' } }])
  })
})

test('tokens from a cache, probabilities and metadata are there, whole and streamed', () => {
  const usage = { ...USAGE, prompt_tokens_details: { cached_tokens: 1 } }
  const logprobs = { content: [{ token: 'Hi', logprob: -0.5, bytes: null, top_logprobs: [] }] }
  const choice = {
    index: 0,
    message: { role: 'assistant' as const, content: 'Hi' },
    finish_reason: 'stop' as const,
    logprobs,
  }
  const whole = fromCompletion({ ...completionOf(choice.message), choices: [choice], usage })
  assert.equal((whole.usage as Fields).cached_tokens, 1)
  assert.deepEqual(whole.logprobs, [{ text: 'Hi', token_ids: [], logprobs: [-0.5] }])
  const said = { ...chunkOf({ content: 'Hi' }), gatehouse: { notes: [] } }
  said.choices[0]!.logprobs = logprobs
  const noted = { ...chunkOf({ content: '!' }), gatehouse: { notes: ['late'] } }
  const events = eventsOf([said, noted, { ...chunkOf({}), choices: [], usage }])
  assert.deepEqual(events[0]!.gatehouse, { notes: [] })
  assert.deepEqual(events.find(({ type }) => type === 'content-delta')!.logprobs, whole.logprobs![0])
  const last = events.at(-1)
  assert.deepEqual([last?.delta?.usage?.cached_tokens, last?.gatehouse], [1, { notes: ['late'] }])
})

function completionOf(message: ReplyMessage): ChatCompletion {
  return { ...HEAD, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }
}

function chunkOf(delta: Delta): ChatChunk {
  return { ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] }
}

function chunksOf(events: readonly Fields[]): ChatChunk[] {
  const decoder = cohere.chat.decoder({ model: 'm', messages: [] })
  return events.flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
}

function eventsOf(chunks: readonly ChatChunk[]): Event[] {
  const events = new ChatEvents()
  const text = chunks.map((chunk) => events.chunks([chunk])).join('') + events.end()
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
}

function named(chunks: readonly ChatChunk[]): ChatChunk[] {
  return chunks.map((chunk) => ({ ...chunk, ...HEAD }))
}

/** The answer as a caller of chat completions gets it. */
function answerIn(completion: object): unknown {
  const { choices, usage } = completion as Fields
  return JSON.parse(JSON.stringify({ choices, usage }))
}

function messageIn({ choices }: Fields): Fields {
  return (choices as { message: Fields }[])[0]!.message
}

function sourcesIn(citations: unknown): unknown[] {
  return ((citations ?? []) as Fields[]).map(({ text, sources }) => [text, sources])
}

function countOf(events: readonly object[], type: string): number {
  return events.filter((event) => (event as Fields).type === type).length
}
