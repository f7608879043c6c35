import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ChatChunk, Delta } from '../../contract/chat-reply.ts'
import type { MessagesRequest } from '../../contract/messages.ts'
import { fromCompletion as toMessage } from './messages/from-completion.ts'
import { problem } from '../../contract/problems.ts'
import { MessageEvents } from './messages/message-events.ts'
import { toChat as chatOfMessages } from './messages/to-chat.ts'
import { plainChat } from './plain-chat.ts'
import { Notes } from '../dialects/notes.ts'
import { ResponseEvents } from './responses/response-events.ts'
import { fromCompletion as toResponse } from './responses/response-object.ts'
import { sample } from '../../../test/soak/sample.ts'
import {
  type Fields,
  type AnswerContent,
  REQUEST,
  USAGE,
  HEAD,
  answers,
  SOMETHING,
  completionOf,
} from './fixtures/answers.ts'

type Event = Fields & { type: string }
/** How an answer is cut into chunks, and how the pieces of its calls are interleaved. */
const cuts = fc.record({ size: fc.integer({ min: 1, max: 9 }), mixed: fc.boolean() })

describe('a streamed answer is the same as the whole one, however it is cut', () => {
  test('holds for the messages format', () => {
    fc.assert(
      fc.property(answers, cuts, (said, cut) => {
        const { content, ...whole } = toMessage(completionOf(said))
        const events = eventsIn(new MessageEvents('req_1'), chunksOf(said, cut))
        const folded = foldMessage(events)
        assert.deepEqual(sorted(folded.content), sorted(content))
        const { id, stop_reason } = folded
        assert.deepEqual([id, stop_reason], [whole.id, whole.stop_reason])
      }),
      { numRuns: sample(25, 200) },
    )
  })

  test('in the responses format, and its last event is the fold of all others', () => {
    fc.assert(
      fc.property(answers, cuts, (said, cut) => {
        const whole = toResponse(completionOf(said), REQUEST)
        const events = eventsIn(new ResponseEvents(REQUEST), chunksOf(said, cut))
        const last = events.at(-1)!.response as Fields
        assert.deepEqual(foldOutput(events), last.output)
        assert.deepEqual(withoutIds(last.output), withoutIds(whole.output))
        assert.deepEqual([last.status, last.cost, last.id], [whole.status, whole.cost, whole.id])
        assert.deepEqual(
          events.map(({ sequence_number }) => sequence_number),
          events.map((_, at) => at),
        )
      }),
      { numRuns: sample(25, 200) },
    )
  })
})

test('documents and cache marks of the messages format, for other dialects and for plain chat completions', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const document = (source: Fields) => ({ type: 'document', title: 'A', source, ...mark })
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }
  const content = [
    document(pdf),
    document({ type: 'url', url: 'https://x.test/a.pdf' }),
    document({ type: 'text', data: 'B' }),
  ]
  const body = { model: 'p/m', system: [{ type: 'text', text: 'S', ...mark }], messages: [{ role: 'user', content }] }
  const parts = (marks: object) => [
    { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'A' }, ...marks },
    { type: 'file', file: { file_id: 'https://x.test/a.pdf', filename: 'A' }, ...marks },
    { type: 'text', text: '<document title="A">\nB\n</document>', ...marks },
  ]
  const request = chatOfMessages(body as MessagesRequest, [])
  const [system, user] = request.messages
  assert.deepEqual(user?.content, parts(mark))
  assert.deepEqual(system?.content, [{ type: 'text', text: 'S', ...mark }])
  const marked = plainChat(request, { topK: 'top_k', keepsMarks: true }, new Notes())
  assert.deepEqual(marked.messages, request.messages)
  const notes = new Notes()
  const [plainSystem, plainUser] = plainChat(request, { topK: 'top_k', keepsMarks: false }, notes).messages
  assert.deepEqual([plainSystem?.content, plainUser?.content], ['S', parts({})])
  assert.deepEqual(
    notes.list.map(({ field }) => field),
    ['cache_control'],
  )
})

const ENDLESS: Record<string, Delta> = {
  'reasoning to send back': { reasoning_details: Array.from({ length: 500 }, () => ({})) } as Delta,
  'long texts': { content: 'x'.repeat(50_000) },
  sources: { annotations: [{ url: 'x'.repeat(50_000) }] },
}

for (const [what, delta] of Object.entries(ENDLESS)) {
  test(`an endless answer of ${what} fails in the formats that keep it`, () => {
    const chunk = {
      ...HEAD,
      object: 'chat.completion.chunk' as const,
      choices: [{ index: 0, delta, finish_reason: null }],
    }
    for (const format of [new MessageEvents('req_1'), new ResponseEvents(REQUEST)]) {
      format.chunks([{ ...chunk, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }])
      assert.throws(() => {
        for (let fed = 0; fed < 4_000; fed++) format.chunks([chunk])
      }, /too long for this format/)
    }
  })
}

test('a response that fails has a beginning, an error that clients raise, and an end', () => {
  const began = new ResponseEvents(REQUEST)
  began.chunks([chunksOf(SOMETHING, { size: 9, mixed: false })[0]!])
  for (const [events, before] of [
    [new ResponseEvents(REQUEST), ['response.created', 'response.in_progress']],
    [began, []],
  ] as const) {
    const text = events.failure(problem('upstream_timeout', { message: 'Too late.', param: 'x' }))
    const written = text
      .split('\n\n')
      .slice(0, -1)
      .map((event) => JSON.parse(event.split('\ndata: ')[1]!))
    assert.deepEqual(
      written.map(({ type }) => type),
      [...before, 'error', 'response.failed'],
    )
    const error = { message: 'Too late.', type: 'server_error', code: 'upstream_timeout', param: 'x' }
    const { type: _, ...members } = error
    assert.deepEqual(written.at(-2), {
      type: 'error',
      ...members,
      error,
      sequence_number: written.at(-2).sequence_number,
    })
    assert.deepEqual(written.at(-1).response.status, 'failed')
    assert.deepEqual(
      written.map(({ sequence_number }) => sequence_number),
      written.map((_, at) => written[0].sequence_number + at),
    )
  }
})

test('silence is filled with pings, but not before the first event', () => {
  const events = new MessageEvents('req_1')
  assert.equal(events.silence(), undefined)
  events.chunks([chunksOf(SOMETHING, { size: 9, mixed: false })[0]!])
  assert.equal(events.silence(), 'event: ping\ndata: {"type":"ping"}\n\n')
})

/** Reasoning, text, calls; the pieces of calls one call after the other, or interleaved. */
function chunksOf(said: AnswerContent, { size, mixed }: { size: number; mixed: boolean }): ChatChunk[] {
  const pieces = said.calls.map(({ id, name, input }, index) => [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...cutText(JSON.stringify(input), size).map((json) => ({ tool_calls: [{ index, function: { arguments: json } }] })),
  ])
  const deltas: Delta[] = [
    { role: 'assistant' },
    ...cutText(said.thinking, size).map((reasoning_content) => ({ reasoning_content })),
    ...cutText(said.text, size).map((content) => ({ content })),
    ...(mixed ? mapConcurrently(pieces) : pieces.flat()),
  ]
  const finish_reason = said.calls.length > 0 ? ('tool_calls' as const) : ('stop' as const)
  const chunk = (choices: ChatChunk['choices']): ChatChunk => ({ ...HEAD, object: 'chat.completion.chunk', choices })
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    { ...chunk([]), usage: USAGE },
  ]
}

function mapConcurrently<Piece>(lists: Piece[][]): Piece[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => (at < list.length ? [list[at]!] : [])),
  ).flat()
}

function cutText(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

type Format = { chunks(chunks: ChatChunk[]): string; end(): string }

function eventsIn(format: Format, chunks: ChatChunk[]): Event[] {
  const text = chunks.map((chunk) => format.chunks([chunk])).join('') + format.end()
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Event)
}

/** Joins a message as a client of the format does. */
function foldMessage(events: Event[]): Fields & { content: Fields[] } {
  const content: Fields[] = []
  const json: string[] = []
  let message: Fields = {}
  for (const { type, index, content_block, delta, message: begun } of events as (Event & { delta: Fields })[]) {
    const at = Number(index)
    if (type === 'message_start') message = begun as Fields
    if (type === 'content_block_start') content[at] = { ...(content_block as Fields) }
    if (type === 'message_delta') Object.assign(message, delta)
    if (type !== 'content_block_delta') continue
    if (delta.type === 'text_delta') content[at]!.text = `${content[at]!.text}${delta.text}`
    if (delta.type === 'thinking_delta') content[at]!.thinking = `${content[at]!.thinking}${delta.thinking}`
    if (delta.type === 'input_json_delta') json[at] = `${json[at] ?? ''}${delta.partial_json}`
  }
  for (const [at, text] of json.entries()) if (text) content[at]!.input = JSON.parse(text)
  return { ...message, content }
}

/** Joins the output as a client of the format does: the added item, its pieces, the finished item. */
function foldOutput(events: Event[]): Fields[] {
  const output: Fields[] = []
  const pieces: string[] = []
  for (const { type, output_index, item, delta } of events) {
    const at = Number(output_index)
    if (type === 'response.output_item.added') output[at] = item as Fields
    if (type.endsWith('.delta')) pieces[at] = `${pieces[at] ?? ''}${delta}`
    if (type !== 'response.output_item.done') continue
    assert.equal((item as Fields).id, output[at]!.id)
    assert.equal(JSON.stringify(item).includes(JSON.stringify(pieces[at] ?? '')), true, 'the pieces make the item')
    output[at] = item as Fields
  }
  return output
}

function withoutIds(output: unknown): unknown[] {
  return (output as Fields[]).map(({ id: _, ...item }) => item)
}

/** Interleaved calls may begin in another order than they were numbered in. */
function sorted(content: unknown): Fields[] {
  return (content as Fields[]).toSorted((one, other) => String(one.id ?? '').localeCompare(String(other.id ?? '')))
}
