import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transcriptionWorstCase } from './audio-worst-case.ts'

test('the words that a caller gives to a transcription are read, too', () => {
  const target = { entry: { price: { input: 1, output: 1 } }, provider: { id: 'x' }, model: 'x' } as never
  const words = 'x'.repeat(50_000)
  const tokens = (fields: object) => transcriptionWorstCase(60, fields, target).inputTokens
  assert.ok(tokens({ prompt: words }) - tokens({}) >= words.length)
})
