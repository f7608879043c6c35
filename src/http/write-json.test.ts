import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeJsonInSteps } from './write-json.ts'

test('a list at the top is written in batches, and the text is the same', async () => {
  const answer = {
    data: Array.from({ length: 40 }, (_, index) => ({ index, text: 'x'.repeat(64 * 1024) })),
    cost: null,
  }
  let turns = 0
  const text = await writeJsonInSteps(answer, async () => void turns++)
  assert.equal(text, JSON.stringify(answer))
  assert.equal(turns, 10)
})

test('for any value, the text is that of JSON.stringify', async () => {
  const values = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.array(fc.constantFrom(undefined, 1, 'a')))
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), values), async (answer) => {
      assert.equal(await writeJsonInSteps(answer, async () => {}), JSON.stringify(answer))
    }),
  )
})

test('what is nested too deeply to be written is the provider’s mistake', async () => {
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  await assert.rejects(
    writeJsonInSteps({ data: [deep] }, async () => {}),
    /nested too deeply/,
  )
})
