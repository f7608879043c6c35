import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readProviders } from '../../../platform/config/provider-settings.ts'
import { encoded, HI } from './fixtures/encoded.ts'
import { openai } from './index.ts'

const { watsonx } = readProviders({}, { WATSONX_API_KEY: 'k', WATSONX_PROJECT_ID: 'p1' })
const TARGET = { compat: watsonx!.compat, fieldRules: watsonx!.fieldRules! }
const TOOLS = [{ type: 'function', function: { name: 'f' } }]
const NAMED = { type: 'function', function: { name: 'f' } }

describe('watsonx', () => {
  test('the model and the project in its own fields', () => {
    const { body, noted } = encoded({ max_completion_tokens: 5, temperature: 0 }, TARGET)
    const { messages } = HI
    assert.deepEqual(body, { messages, model_id: 'model', project_id: 'p1', max_tokens: 5, temperature: 0 })
    assert.deepEqual(noted, ['renamed max_completion_tokens'])
  })

  test('only the URL says whether the answer is streamed', () => {
    for (const [stream, path] of [
      [false, 'chat'],
      [true, 'chat_stream'],
    ] as const) {
      const request = { ...HI, model: 'ibm/granite', stream } as never
      const { wire, notes } = openai.chat.encode(
        { request },
        { ...TARGET, baseUrl: 'https://x.test/ml/v1', model: 'm' },
      )
      assert.match(wire.url, new RegExp(`^https://x\\.test/ml/v1/text/${path}\\?version=\\d{4}-\\d\\d-\\d\\d$`))
      assert.deepEqual(
        [Object.keys(JSON.parse(String(wire.body))).sort(), notes],
        [['messages', 'model_id', 'project_id'], []],
      )
    }
  })

  test('a word about tools has its own name, a named tool stays where it is, and without tools there is neither', () => {
    for (const word of ['auto', 'none', 'required'] as const) {
      const { body } = encoded({ tools: TOOLS, tool_choice: word }, TARGET)
      assert.deepEqual([body.tool_choice_option, body.tool_choice], [word, undefined])
    }
    const named = encoded({ tools: TOOLS, tool_choice: NAMED }, TARGET).body
    assert.deepEqual([named.tool_choice_option, named.tool_choice], [undefined, NAMED])
    const without = encoded({ tool_choice: 'auto' }, TARGET).body
    assert.deepEqual([without.tool_choice_option, without.tool_choice], [undefined, undefined])
  })

  test('unknown fields are dropped with a note', () => {
    const { body, noted } = encoded({ user: 'u', service_tier: 'flex' }, TARGET)
    assert.deepEqual(
      [body.user, body.service_tier, noted],
      [undefined, undefined, ['dropped user', 'dropped service_tier']],
    )
  })
})
