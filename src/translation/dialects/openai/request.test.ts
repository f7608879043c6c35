import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ThinkingTraits } from '../model-traits.ts'
import { outline } from '../../json/outline.ts'
import type { Target } from '../chat-codec.ts'
import { encoded, HI } from './fixtures/encoded.ts'
import { openai } from './index.ts'

const TOOLS = [{ type: 'function', function: { name: 'f' } }]

describe('fields that the model refuses', () => {
  const traits = { refuses: ['temperature', 'stop', 'tool_choice', 'seed'] }

  test('is left out with a note, from the text as from the value', () => {
    const { body, noted } = encoded({ temperature: 1, stop: 'x', top_p: 0.5 }, { traits })
    assert.deepEqual(body, { ...HI, model: 'model', top_p: 0.5 })
    assert.deepEqual(noted, ['dropped temperature', 'dropped stop'])
  })

  test('fields that were not requested, or that only the row sets, are not noted', () => {
    const { body, noted } = encoded({ temperature: null }, { traits, fieldRules: { defaults: { seed: 7 } } })
    assert.deepEqual([body, noted], [{ ...HI, model: 'model' }, []])
  })

  test('a choice that forces no call stays', () => {
    assert.equal(encoded({ tools: TOOLS, tool_choice: 'auto' }, { traits }).body.tool_choice, 'auto')
    const forced = encoded({ tools: TOOLS, tool_choice: 'required' }, { traits })
    assert.deepEqual([forced.body.tool_choice, forced.noted], [undefined, ['dropped tool_choice']])
  })

  test('extra_body is the caller’s own will', () => {
    assert.equal(encoded({ extra_body: { temperature: 2 } }, { traits }).body.temperature, 2)
  })
})

describe('reasoning_effort', () => {
  const GPT_5: ThinkingTraits = { by: 'effort', efforts: ['minimal', 'low', 'medium', 'high'], always: true }
  const words: [asked: NonNullable<ChatRequest['reasoning_effort']>, how: ThinkingTraits | undefined, sent: unknown][] =
    [
      ['high', undefined, 'high'],
      ['disable', undefined, 'none'],
      ['none', { by: 'effort', efforts: ['none', 'low'] }, 'none'],
      ['none', GPT_5, 'minimal'],
      ['disable', GPT_5, 'minimal'],
      ['low', GPT_5, 'low'],
      ['xhigh', GPT_5, 'high'],
      ['max', { by: 'effort', efforts: ['low', 'xhigh'] }, 'xhigh'],
      // It thinks only on request.
      ['none', { by: 'effort', efforts: ['high', 'max'] }, undefined],
      ['low', { by: 'none' }, undefined],
      ['none', { by: 'none' }, undefined],
    ]
  for (const [reasoning_effort, thinking, sent] of words)
    test(`${reasoning_effort} of ${JSON.stringify(thinking ?? 'an unknown model')} is ${sent}`, () => {
      const { body, noted } = encoded({ reasoning_effort }, thinking ? { traits: { thinking } } : {})
      const isSaid = sent === reasoning_effort || (sent === undefined && reasoning_effort === 'none')
      assert.equal(body.reasoning_effort, sent)
      assert.equal(noted.length, isSaid ? 0 : 1)
    })
})

test('a body that needs no change but the name of the model stays as it was written', () => {
  const text = '{ "model":"openai/x", "messages":[ {"role":"user","content":"H\\u0069"} ] , "temperature": 1.0 }'
  const { wire } = openai.chat.encode(
    { request: JSON.parse(text), source: { text, outline: outline(text) } },
    target({}),
  )
  assert.equal(wire.body, text.replace('"openai/x"', '"model"'))
})

function target(changes: Partial<Target>): Target {
  return { baseUrl: 'https://provider.test/v1', model: 'model', ...changes }
}
