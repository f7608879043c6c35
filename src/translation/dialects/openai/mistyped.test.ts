import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openai } from './index.ts'

const HEAD = { id: 'a', created: 1, model: 'm' }
const PROBABLE = { content: [{ token: 'a', logprob: -0.1, bytes: null, top_logprobs: [] }] }

for (const [sent, expected] of [
  [[], null],
  ['none', null],
  [false, null],
  [null, null],
  [PROBABLE, PROBABLE],
] as const)
  test(`probabilities as ${JSON.stringify(sent).slice(0, 20)} are an object or null, whole and streamed`, () => {
    const ending = { index: 0, finish_reason: 'stop', logprobs: sent }
    const whole = { ...HEAD, choices: [{ ...ending, message: { role: 'assistant', content: 'a' } }] }
    assert.deepEqual(openai.chat!.decode(JSON.stringify(whole)).choices[0]!.logprobs, expected)
    const chunk = { ...HEAD, choices: [{ ...ending, finish_reason: null, delta: { content: 'a' } }] }
    const chunks = openai.chat!.decoder({ model: 'm', messages: [] }).feed({ data: JSON.stringify(chunk) })
    assert.deepEqual(chunks[0]!.choices[0]!.logprobs, expected)
  })
