import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldChunks } from '../../../../test/fakes/fold-chunks.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { ResponseDecoder } from './response-decoder.ts'

// An answer is the same whichever of its events have it.

const SOURCE = { type: 'url_citation', url: 'https://a.test/', title: 'A', start_index: 0, end_index: 2 }
const OUTPUT: Fields[] = [
  { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAA' },
  { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'x' } },
  {
    type: 'message',
    id: 'msg',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hi there', annotations: [SOURCE] }],
  },
  { type: 'function_call', id: 'fc', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
  { type: 'custom_tool_call', id: 'ct', call_id: 'call_2', name: 'g', input: 'plain' },
  { type: 'message', id: 'msg_2', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
]
const RESPONSE = {
  id: 'resp',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output: OUTPUT,
  usage: { input_tokens: 1, output_tokens: 2 },
}
const CREATED = { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [], usage: null } }
const COMPLETED = { type: 'response.completed', response: RESPONSE }

/** All events of the answer, by what they carry. */
const EVENTS: { kind: string; event: Fields }[] = [
  ...added(0),
  {
    kind: 'delta',
    event: { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' },
  },
  {
    kind: 'done',
    event: { type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'Hm.' },
  },
  {
    kind: 'part',
    event: { type: 'response.reasoning_summary_part.done', output_index: 0, summary_index: 0, part: { text: 'Hm.' } },
  },
  ...ended(0),
  ...added(1),
  ...ended(1),
  ...added(2),
  { kind: 'delta', event: { type: 'response.output_text.delta', output_index: 2, content_index: 0, delta: 'Hi ' } },
  { kind: 'delta', event: { type: 'response.output_text.delta', output_index: 2, content_index: 0, delta: 'there' } },
  {
    kind: 'source',
    event: { type: 'response.output_text.annotation.added', output_index: 2, content_index: 0, annotation: SOURCE },
  },
  { kind: 'done', event: { type: 'response.output_text.done', output_index: 2, content_index: 0, text: 'Hi there' } },
  { kind: 'part', event: { type: 'response.content_part.done', output_index: 2, content_index: 0, part: partOf(2) } },
  ...ended(2),
  ...added(3),
  { kind: 'delta', event: { type: 'response.function_call_arguments.delta', output_index: 3, delta: '{"a":' } },
  { kind: 'delta', event: { type: 'response.function_call_arguments.delta', output_index: 3, delta: '1}' } },
  { kind: 'done', event: { type: 'response.function_call_arguments.done', output_index: 3, arguments: '{"a":1}' } },
  ...ended(3),
  ...added(4),
  { kind: 'delta', event: { type: 'response.custom_tool_call_input.delta', output_index: 4, delta: 'plain' } },
  { kind: 'done', event: { type: 'response.custom_tool_call_input.done', output_index: 4, input: 'plain' } },
  ...ended(4),
  ...added(5),
  { kind: 'delta', event: { type: 'response.refusal.delta', output_index: 5, content_index: 0, delta: 'No.' } },
  { kind: 'done', event: { type: 'response.refusal.done', output_index: 5, content_index: 0, refusal: 'No.' } },
  ...ended(5),
]
const KINDS = ['added', 'delta', 'source', 'done', 'part', 'item']

test('any events may be missing, as long as another one has what they carry', () => {
  const whole = answerOf(EVENTS.map(({ event }) => event))
  assert.deepEqual(whole, {
    content: 'Hi there',
    refusal: 'No.',
    reasoning: 'Hm.',
    calls: ['call_1 f {"a":1}', 'call_2 g plain'],
    sources: 1,
    details: 1,
    blocks: ['web_search_call'],
    searches: 1,
  })
  for (let left = 0; left < 2 ** KINDS.length; left++) {
    const kinds = KINDS.filter((_, at) => left & (2 ** at))
    // Pieces of a call that is announced later belong to no call.
    if (kinds.includes('delta') && !kinds.includes('added')) continue
    const events = EVENTS.filter(({ kind }) => kinds.includes(kind)).map(({ event }) => event)
    assert.deepEqual(answerOf(events), whole, kinds.join(', ') || 'nothing but the whole response')
  }
})

test('the last event may be the only one that has the end of a text', () => {
  const half = EVENTS.filter(
    ({ event }) => event.delta !== 'there' && event.delta !== '1}' && !/done$/.test(String(event.type)),
  )
  const { content, calls } = answerOf(half.map(({ event }) => event))
  assert.deepEqual([content, calls], ['Hi there', ['call_1 f {"a":1}', 'call_2 g plain']])
})

test('nothing is said twice where the events and the response number their items differently', () => {
  const moved = EVENTS.map(({ event }) => ({ ...event, output_index: Number(event.output_index) + 3 }))
  assert.equal(answerOf(moved).content, 'Hi there')
  const unplaced = EVENTS.filter(({ event }) => /text\.(delta|done)$/.test(String(event.type)))
  const events = unplaced.map(({ event: { output_index: _, ...event } }) => event)
  assert.equal(answerOf(events).content, 'Hi there')
})

const ARGUMENTS_DONE = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' }

test('arguments that name their call are a call, also if no other event has it', () => {
  const named = { ...ARGUMENTS_DONE, item_id: 'fc_1', name: 'f' }
  const input = { type: 'response.custom_tool_call_input.done', output_index: 1, item_id: 'ct', name: 'g', input: 'ls' }
  const { calls, omitted, finish } = orphanOf([named, input])
  assert.deepEqual(calls, ['fc_1 f {"a":1}', 'ct g ls'])
  assert.deepEqual([omitted, finish], [undefined, 'tool_calls'])
  const { output_index: _, ...unplaced } = named
  assert.deepEqual(orphanOf([unplaced, { ...unplaced, item_id: 'fc_2' }]).calls, ['fc_1 f {"a":1}', 'fc_2 f {"a":1}'])
})

test('arguments of a call that nothing names are noted', () => {
  for (const event of [ARGUMENTS_DONE, { ...ARGUMENTS_DONE, output_index: undefined }]) {
    const { calls, omitted, finish } = orphanOf([event])
    assert.deepEqual([calls, finish], [[], 'stop'])
    assert.deepEqual(omitted, [{ type: 'function_call', reason: 'the provider did not name it' }])
  }
})

test('arguments before their call, or with another number, belong to it, and there is one call', () => {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '' }
  const begun = { type: 'response.output_item.added', output_index: 0, item }
  const done = { ...ARGUMENTS_DONE, item_id: 'fc_1', name: 'f' }
  const elsewhere = { ...done, output_index: 7 }
  const whole = { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: '{"a":1}' } }
  const { output_index: _, ...unplaced } = done
  for (const events of [
    [done, begun],
    [elsewhere, begun],
    [begun, elsewhere],
    [begun, unplaced],
    [unplaced, begun],
  ])
    for (const all of [events, [...events, whole]]) {
      const { calls, omitted } = orphanOf(all)
      assert.deepEqual([calls, omitted], [['call_1 f {"a":1}'], undefined], JSON.stringify(all))
    }
  const listed = orphanOf([elsewhere], [{ ...item, arguments: '{"a":1}' }])
  assert.deepEqual(listed.calls, ['call_1 f {"a":1}'])
})

function orphanOf(events: readonly Fields[], output: readonly Fields[] = []) {
  const decoder = new ResponseDecoder()
  const all = [CREATED, ...events, { ...COMPLETED, response: { ...RESPONSE, output } }]
  const chunks = all.flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
  const { choices } = foldChunks(chunks) as { choices: { message: Fields; finish_reason: string }[] }
  const { message, finish_reason: finish } = choices[0]!
  const { omitted } = (message.provider_content ?? {}) as Fields
  return { calls: callsIn(message.tool_calls), omitted, finish }
}

test('a response whose id changes with every event is one, and another that begins in its middle is an error', () => {
  const text = { type: 'response.output_text.delta', output_index: 2, content_index: 0, delta: 'Hi' }
  const feed = (events: readonly Fields[]) => {
    const decoder = new ResponseDecoder()
    return events.flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
  }
  const other = (event: { response: object }, id: string) =>
    ({ ...event, response: { ...event.response, id } }) as Fields
  const begun = other({ ...CREATED, type: 'response.in_progress' } as typeof CREATED, 'resp_2')
  const chunks = feed([CREATED, begun, text, other(COMPLETED, 'resp_3')])
  assert.deepEqual([...new Set(chunks.map(({ id }) => id))], ['resp'])
  assert.throws(() => feed([CREATED, text, other(CREATED, 'resp_2')]), /second answer/)
})

test('nothing that follows the last event is read', () => {
  const decoder = new ResponseDecoder()
  const feed = (event: Fields) => decoder.feed({ data: JSON.stringify(event) })
  feed(CREATED)
  feed(COMPLETED)
  for (const event of [
    CREATED,
    COMPLETED,
    { type: 'response.failed', response: { error: { message: 'no' } } },
    { type: 'error', message: 'no' },
  ])
    assert.deepEqual(feed(event), [])
})

function added(at: number) {
  const { content: _, arguments: __, input: ___, summary: ____, ...item } = OUTPUT[at]!
  return [{ kind: 'added', event: { type: 'response.output_item.added', output_index: at, item } as Fields }]
}

function ended(at: number) {
  return [{ kind: 'item', event: { type: 'response.output_item.done', output_index: at, item: OUTPUT[at] } as Fields }]
}

function partOf(at: number): unknown {
  return (OUTPUT[at]!.content as unknown[])[0]
}

function answerOf(events: readonly Fields[]) {
  const decoder = new ResponseDecoder()
  const chunks = [CREATED, ...events, COMPLETED].flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
  const { choices, usage } = foldChunks(chunks) as { choices: { message: Fields }[]; usage: Fields }
  const { content, refusal, reasoning_content, tool_calls, annotations, reasoning_details, provider_content } =
    choices[0]!.message
  const { blocks } = provider_content as { blocks: Fields[] }
  const server = blocks.filter(({ type }) => type === 'item').map(({ item }) => (item as Fields).type)
  const counted = JSON.stringify(usage).includes('search') ? 1 : 0
  return {
    content,
    refusal,
    reasoning: reasoning_content,
    calls: callsIn(tool_calls),
    sources: ((annotations ?? []) as unknown[]).length,
    details: (reasoning_details as unknown[]).length,
    blocks: server,
    searches: counted,
  }
}

function callsIn(tool_calls: unknown): string[] {
  return ((tool_calls ?? []) as Fields[]).map(({ id, function: called, custom }) => {
    const { name, arguments: json, input } = (called ?? custom) as Fields
    return `${id} ${name} ${json ?? input}`
  })
}
