import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldChunks } from './fold-chunks.ts'
import { type Chunk, interleavedChoices, reasoningEvents, SOME_USAGE, textEvents, toolEvents } from './openai-events.ts'

const LISTS: Record<string, { chunks: Chunk[]; message: object; finish: string }> = {
  text: { chunks: textEvents('Hello,  world '), message: { content: 'Hello,  world ' }, finish: 'stop' },
  'a cut text': { chunks: textEvents('Hel', { finish: 'length' }), message: { content: 'Hel' }, finish: 'length' },
  reasoning: {
    chunks: reasoningEvents('Let me see.', 'Done.'),
    message: { content: 'Done.', reasoning_content: 'Let me see.' },
    finish: 'stop',
  },
  tools: {
    chunks: toolEvents([
      { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
      { id: 'call_2', name: 'time', arguments: '' },
    ]),
    message: {
      content: '',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        { id: 'call_2', type: 'function', function: { name: 'time', arguments: '' } },
      ],
    },
    finish: 'tool_calls',
  },
}

for (const [name, { chunks, message, finish }] of Object.entries(LISTS)) {
  test(`${name} folds back`, () => {
    const { choices, usage } = foldChunks(chunks)
    const whole = { role: 'assistant', refusal: null, ...message }
    assert.deepEqual(choices, [{ index: 0, message: whole, logprobs: null, finish_reason: finish }])
    assert.deepEqual(usage, SOME_USAGE)
  })
}

test('choices take turns', () => {
  const order = interleavedChoices(['a b c', 'x']).map(({ choices }) => choices[0]?.index)
  assert.deepEqual(order, [0, 1, 0, 1, 0, 1, 0, 0, undefined])
  assert.equal((foldChunks(interleavedChoices(3)).choices as unknown[]).length, 3)
})

test('without usage no chunk speaks of it', () => {
  assert.ok(textEvents('Hi', { usage: null }).every((chunk) => !('usage' in chunk)))
})

test('the fold refuses what breaks the grammar', () => {
  const chunks = textEvents('a b')
  assert.throws(() => foldChunks([]), /without chunks/)
  assert.throws(() => foldChunks([...chunks, { ...chunks[1], id: 'other' }]), /id changed/)
  assert.throws(() => foldChunks([...chunks, chunks[1]!]), /goes on/)
  const [, opening] = toolEvents([{ id: 'call_1', name: 'f', arguments: '' }])
  assert.throws(() => foldChunks([opening!, opening!]), /two ids/)
})
