import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChatChunk, ChatCompletion, Delta } from '../../../contract/chat-reply.ts'
import { foldChunks } from '../../../../test/fakes/fold-chunks.ts'
import { placeBlock } from '../../wire/answer.ts'
import type { AnswerTexts, TextFilter } from '../hook.ts'
import { KINDS } from '../pii/personal-data.ts'
import { Placeholders } from '../pii/placeholders.ts'
import { redactFilter } from '../pii/redact-filter.ts'
import { restoreFilter } from '../pii/restore-filter.ts'
import { answerStage } from './answer-stage.ts'
import { filterStage } from './filter-stage.ts'
import type { Stage } from './stage.ts'
import { sample } from '../../../../test/soak/sample.ts'

const HEAD = { id: 'c1', created: 1, model: 'sandbox/echo', object: 'chat.completion.chunk' as const }
const WORDS = [
  'Write',
  ' to',
  ' ada@mail.example',
  ' or',
  ' 4111 1111',
  ' 1111 1111',
  '.',
  ' [EMAIL_1]',
  '[',
  'EMA',
  'IL_1]',
  '',
]

const pieces = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 })
const answers = fc.array(
  fc.record({ content: pieces, reasoning_content: pieces, calls: fc.array(pieces, { maxLength: 2 }) }),
  { minLength: 1, maxLength: 3 },
)
/** The order in which the answers continue, and how many chunks arrive together. */
const order = fc.array(fc.nat(), { minLength: 1, maxLength: 10 })

test('a stream that is redacted as it passes equals the redacted whole answer, however it is cut', async () => {
  await sameBothWays(() => filterStage((place) => (place === 'arguments' ? undefined : redaction())))
})

test('a stream that is restored as it passes equals the restored whole answer, arguments included', async () => {
  const placeholders = new Placeholders()
  placeholders.nameFor('email', 'eve@mail.example', true)
  await sameBothWays(() => filterStage(() => restoreFilter(placeholders)))
})

test('a stream that is changed as a whole equals the changed whole answer', async () => {
  await sameBothWays(() => answerStage(async (answer) => shouted(answer), true))
})

test('the same holds for several hooks, one after the other', async () => {
  await sameBothWays(() => {
    return joined([
      filterStage(redaction),
      answerStage(async (answer) => shouted(answer), true),
      filterStage(redaction),
    ])
  })
})

test('text that a filter does not hold back passes at once, and so does the role', () => {
  const placeholders = new Placeholders()
  placeholders.nameFor('email', 'eve@mail.example', true)
  const stage = filterStage(() => restoreFilter(placeholders))
  assert.deepEqual(deltas(stage.feed([chunk({ role: 'assistant', content: '' })])), [
    { role: 'assistant', content: '' },
  ])
  assert.deepEqual(deltas(stage.feed([chunk({ content: 'Hi [EM' })])), [{ content: 'Hi ' }])
  assert.deepEqual(stage.feed([chunk({ content: 'AIL_' })]), [])
  assert.deepEqual(deltas(stage.feed([chunk({ content: '1]!' })])), [{ content: 'eve@mail.example!' }])
  assert.deepEqual(deltas(stage.feed([chunk({ content: 'a [' }), chunk({}, 'stop')])), [
    { content: 'a ' },
    { content: '[' },
    {},
  ])
  assert.equal(stage.changed, true)
})

test('the first chunk names the provider, even if all of its text is held back', () => {
  const stage = filterStage(() => restoreFilter(new Placeholders()))
  const first = { ...chunk({ content: '[' }), provider: 'sandbox' }
  assert.deepEqual(stage.feed([first]), [{ ...first, choices: [{ index: 0, delta: {}, finish_reason: null }] }])
})

test('token probabilities are removed, because they would show what is hidden', async () => {
  const logprobs = { content: [{ token: 'ada' }] }
  const stage = () => filterStage(() => restoreFilter(new Placeholders()))
  const [choice] = stage().feed([
    { ...HEAD, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null, logprobs }] },
  ])[0]!.choices
  assert.equal(choice?.logprobs, null)
  const whole = await stage().whole({
    ...completionOf([chunk({ content: 'a' }, 'stop')]),
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop', logprobs }],
  })
  assert.equal(whole.choices[0]?.logprobs, null)
})

test('a stream without a finish reason still releases what was held back', async () => {
  const stage = filterStage(() => restoreFilter(new Placeholders()))
  assert.deepEqual(stage.feed([chunk({ content: '[EM' })]), [])
  assert.deepEqual(deltas(await stage.end()), [{ content: '[EM' }])
})

test('a hook that only reads lets everything pass and sees all of it at the end', async () => {
  const seen: AnswerTexts[] = []
  const stage = answerStage(async (answer) => {
    seen.push(answer)
    return shouted(answer)
  }, false)
  const chunks = [chunk({ role: 'assistant', content: 'one' }), chunk({ content: ' two' }), chunk({}, 'stop')]
  assert.deepEqual(
    chunks.flatMap((one) => stage.feed([one])),
    chunks,
  )
  assert.deepEqual(await stage.end(), [])
  assert.deepEqual(seen, [{ content: 'one two', refusal: null, reasoning_content: null, callsTools: false }])
})

test('a block of the provider stays in its place if the text is changed', async () => {
  const stage = answerStage(async (answer) => shouted(answer), true)
  const block = placeBlock({}, { type: 'anthropic', block: { type: 'server_tool_use' } })
  stage.feed([chunk({ content: 'a' }), chunk(block), chunk({ content: 'b' }), chunk({}, 'stop')])
  assert.deepEqual(deltas(await stage.end()), [{ content: 'AB' }, block, {}])
})

test('chunks that were held back and not changed come out as they came in', async () => {
  const stage = answerStage(async (answer) => answer, true)
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'a' }),
    chunk({ annotations: [{ url: 'x' }] }),
    chunk({}, 'stop'),
  ]
  assert.deepEqual(stage.feed(chunks), [])
  assert.deepEqual(await stage.end(), chunks)
  assert.equal(stage.changed, false)
})

test('a hook can add text to an empty answer', async () => {
  const stage = answerStage(async (answer) => ({ ...answer, content: '{}' }), true)
  stage.feed([chunk({ role: 'assistant' }), chunk({}, 'stop')])
  assert.deepEqual(deltas(await stage.end()), [{ role: 'assistant' }, { content: '{}' }, {}])
})

async function sameBothWays(open: () => Stage): Promise<void> {
  const property = fc.asyncProperty(answers, order, async (options, order) => {
    const chunks = interleaved(options, order)
    const whole = await open().whole(completionOf(chunks))
    const stage = open()
    const passed: ChatChunk[] = []
    for (const batch of batches(chunks, order)) passed.push(...stage.feed(batch))
    passed.push(...(await stage.end()))
    assert.deepEqual(messagesOf(completionOf(passed)), messagesOf(whole))
    assert.ok(passed.every(({ choices }) => choices.length > 0))
  })
  await fc.assert(property, { numRuns: sample(40, 500) })
}

/** Each filter has its own numbers, so that those of one answer do not depend on how the others are interleaved. */
function redaction(): TextFilter {
  return redactFilter({ kinds: KINDS, placeholders: new Placeholders(), isRestored: false })
}

type ParamValues = { content: string[]; reasoning_content: string[]; calls: string[][] }

function interleaved(options: readonly ParamValues[], order: readonly number[]): ChatChunk[] {
  const queues = options.map((one, index) => chunksOf(one, index))
  const chunks: ChatChunk[] = []
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
    const waiting = queues.filter((queue) => queue.length > 0)
    chunks.push(waiting[order[turn % order.length]! % waiting.length]!.shift()!)
  }
  return chunks
}

function chunksOf({ content, reasoning_content, calls }: ParamValues, index: number): ChatChunk[] {
  const fragments = calls.flatMap((parts, call): Delta[] => [
    { tool_calls: [{ index: call, id: `call_${call}`, type: 'function', function: { name: 'f', arguments: '' } }] },
    ...parts.map((part) => ({ tool_calls: [{ index: call, function: { arguments: part } }] })),
  ])
  return [
    chunk({ role: 'assistant', content: '' }, null, index),
    ...reasoning_content.map((text) => chunk({ reasoning_content: text }, null, index)),
    ...content.map((text) => chunk({ content: text }, null, index)),
    ...fragments.map((delta) => chunk(delta, null, index)),
    chunk({}, 'stop', index),
  ]
}

function batches(chunks: readonly ChatChunk[], order: readonly number[]): ChatChunk[][] {
  const left = [...chunks]
  return Array.from({ length: chunks.length }, (_, turn) => left.splice(0, order[turn % order.length]! % 4)).concat([
    left,
  ])
}

function completionOf(chunks: readonly ChatChunk[]): ChatCompletion {
  return foldChunks(chunks) as unknown as ChatCompletion
}

/** Readers do not distinguish an empty text from an absent one. */
function messagesOf({ choices }: ChatCompletion) {
  return choices.map(({ message, finish_reason }) => {
    const { content, reasoning_content, tool_calls } = message
    return {
      content: content || null,
      reasoning_content: reasoning_content || null,
      tool_calls: tool_calls ?? [],
      finish_reason,
    }
  })
}

function chunk(delta: Delta, finish_reason: 'stop' | null = null, index = 0): ChatChunk {
  return { ...HEAD, choices: [{ index, delta, finish_reason }] }
}

function deltas(chunks: readonly ChatChunk[]): Delta[] {
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
}

function shouted(answer: AnswerTexts): AnswerTexts {
  return { ...answer, content: answer.content?.toUpperCase() ?? null }
}

function joined(stages: readonly Stage[]): Stage {
  return {
    async whole(completion) {
      let result = completion
      for (const stage of stages) result = await stage.whole(result)
      return result
    },
    feed: (chunks) => stages.reduce((batch, stage) => stage.feed(batch), chunks),
    async end() {
      let batch: ChatChunk[] = []
      for (const stage of stages) batch = [...stage.feed(batch), ...(await stage.end())]
      return batch
    },
    changed: false,
  }
}
