import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLoopLinear } from '../../../../test/fakes/cpu.ts'
import type { ChatChunk } from '../../../contract/chat-reply.ts'
import { answerStage } from './answer-stage.ts'
import { inOrder } from './stage.ts'

const upper = () => answerStage(async (answer) => ({ ...answer, content: answer.content?.toUpperCase() ?? null }), true)

function chunk(index: number, content: string, finish_reason: 'stop' | null = null): ChatChunk {
  const choices = [{ index, delta: { content }, finish_reason }]
  return { id: 'a', object: 'chat.completion.chunk', created: 0, model: 'm', choices }
}

/** A chunk without content. */
const silent = (): ChatChunk => ({ ...chunk(0, ''), choices: [{ index: 0, delta: {}, finish_reason: null }] })
const same = (holds: boolean) => answerStage(async (answer) => answer, holds)

test('stages that hold a stream back pass on more chunks than a function call takes arguments', async () => {
  const stage = inOrder(upper(), same(true))
  const batch = Array.from({ length: 1_000 }, silent)
  for (let fed = 0; fed < 200_000; fed += 1_000) stage.feed(batch)
  assert.equal((await stage.end()).length, 200_000)
})

const tool = (): ChatChunk => ({
  ...chunk(0, ''),
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ' ' } }] }, finish_reason: null }],
})
let next = 0
/** Chunks that are all the same are made once, unless each of them has an index of its own. */
const ENDLESS: Record<string, { make: () => ChatChunk; holds: boolean; max: number; hasIndex?: boolean }> = {
  'chunks without content': { make: silent, holds: true, max: 350_000 },
  'single characters': { make: () => chunk(0, 'a'), holds: true, max: 250_000 },
  'single characters that pass': { make: () => chunk(0, 'a'), holds: false, max: 1_500_000 },
  'pieces of calls': { make: tool, holds: true, max: 250_000 },
  'large unknown fields': {
    make: () => ({ ...silent(), more: ['x'.repeat(100_000)] }) as ChatChunk,
    holds: true,
    max: 1_000,
  },
  'endless answers': { make: () => chunk(next++, ''), holds: false, max: 350_000, hasIndex: true },
}

for (const [what, { make, holds, max, hasIndex = false }] of Object.entries(ENDLESS)) {
  test(`a stream of ${what} fails before it fills the memory`, () => {
    const stage = same(holds)
    const newBatch = () => Array.from({ length: Math.ceil(max / 100) }, make)
    const batch = newBatch()
    assert.throws(() => {
      for (let fed = 0; fed < 100; fed++) stage.feed(hasIndex ? newBatch() : batch)
    }, /too long for the post hooks/)
  })
}

test('what is kept of a long stream is reserved in few steps, and refused if there is no memory', () => {
  const steps: number[] = []
  const stage = answerStage(
    async (answer) => answer,
    true,
    (bytes) => steps.push(bytes) < 4,
  )
  const batch = Array.from({ length: 1_000 }, () => chunk(0, 'a word'))
  assert.throws(() => {
    for (let fed = 0; fed < 200; fed++) stage.feed(batch)
  }, /has no memory at the moment/)
  assert.equal(steps.length, 4)
})

test('as many answers as a stream has chunks are rewritten in time proportional to their number', () =>
  assertLoopLinear('answers', rewriteAll, 1_000))

async function rewriteAll(answers: number): Promise<void> {
  const stage = upper()
  for (let index = 0; index < answers; index++) stage.feed([chunk(index, 'a'), chunk(index, 'b', 'stop')])
  const chunks = await stage.end()
  assert.equal(
    chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join(''),
    'AB'.repeat(answers),
  )
}
