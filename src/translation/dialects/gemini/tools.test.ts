import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RequestFields } from '../request/request-fields.ts'
import type { Target } from '../chat-codec.ts'
import { Notes } from '../notes.ts'
import { toTools } from './tools.ts'

const OLD: Target = { baseUrl: 'https://studio.test/v1beta', model: 'm', traits: { thinking: { by: 'budget' } } }
const NEW: Target = { ...OLD, traits: { thinking: { by: 'level' } } }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false }
const weather = { type: 'function', function: { name: 'weather', description: 'Looks out.', parameters } }
const time = { type: 'function', function: { name: 'time' } }

describe('declarations', () => {
  test('functions with their schema as it is', () => {
    const { tools } = fields({ tools: [weather, time] })
    const declared = { name: 'weather', description: 'Looks out.', parametersJsonSchema: parameters }
    assert.equal(tools?.[0]?.functionDeclarations?.[0]?.parametersJsonSchema, parameters)
    assert.deepEqual(tools, [{ functionDeclarations: [declared, { name: 'time' }] }])
  })

  test('may have the legacy form `functions`', () => {
    const options = { functions: [{ name: 'time', parameters }], function_call: { name: 'time' } }
    assert.deepEqual(fields(options), {
      tools: [{ functionDeclarations: [{ name: 'time', parametersJsonSchema: parameters }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['time'] } },
    })
  })

  test("Google's own tools pass", () => {
    assert.deepEqual(fields({ tools: [{ urlContext: {} }, time] }).tools, [
      { functionDeclarations: [{ name: 'time' }] },
      { urlContext: {} },
    ])
  })

  test('other kinds and nameless functions are refused, and tools by a model without', () => {
    assert.throws(() => fields({ tools: [{ type: 'web_search' }] }), /^Problem: tools\.0\.type: Gemini/)
    assert.throws(
      () => fields({ tools: [time] }, { ...OLD, traits: { lacks: ['tools'] } }),
      /^Problem: tools: .*Gemini/,
    )
    assert.throws(() => fields({ tools: [{ type: 'function', function: {} }] }), /tools\.0\.function\.name: Gemini/)
  })
})

describe('choices', () => {
  const config = (inputFields: Partial<RequestFields>) =>
    fields({ tools: [weather, time], ...inputFields }).toolConfig?.functionCallingConfig

  test('by word, by name, by list', () => {
    assert.equal(config({}), undefined)
    assert.deepEqual(config({ tool_choice: 'auto' }), { mode: 'AUTO' })
    assert.deepEqual(config({ tool_choice: 'required' }), { mode: 'ANY' })
    assert.deepEqual(config({ tool_choice: 'none' }), { mode: 'NONE' })
    const named = { type: 'function', function: { name: 'time' } }
    assert.deepEqual(config({ tool_choice: named }), { mode: 'ANY', allowedFunctionNames: ['time'] })
    const list = (mode: string, tools: object[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } })
    assert.deepEqual(config({ tool_choice: list('required', [named]) }), {
      mode: 'ANY',
      allowedFunctionNames: ['time'],
    })
    const free = fields({ tools: [weather, time], tool_choice: list('auto', [named]) })
    assert.deepEqual(free.tools, [{ functionDeclarations: [{ name: 'time' }] }])
    assert.throws(() => config({ tool_choice: list('auto', []) }), /tool_choice: there is no tool/)
    assert.throws(() => config({ tool_choice: { type: 'custom' } }), /tool_choice: Gemini/)
  })

  test('strict functions are validated, unless a call is demanded', () => {
    const strict = { type: 'function', function: { name: 'time', strict: true } }
    assert.deepEqual(fields({ tools: [strict] }).toolConfig, { functionCallingConfig: { mode: 'VALIDATED' } })
    assert.deepEqual(fields({ tools: [strict], tool_choice: 'required' }).toolConfig, {
      functionCallingConfig: { mode: 'ANY' },
    })
  })

  test('settings without tools are ignored', () => {
    const notes = new Notes()
    assert.deepEqual(fields({ tools: [], tool_choice: 'auto', parallel_tool_calls: true }, OLD, notes), {})
    assert.deepEqual(notes.list, [])
  })

  test('parallel calls have no switch', () => {
    const notes = new Notes()
    fields({ tools: [time], parallel_tool_calls: false }, OLD, notes)
    assert.deepEqual(
      notes.list.map(({ field, action }) => [field, action]),
      [['parallel_tool_calls', 'dropped']],
    )
  })
})

describe('search', () => {
  const request = { web_search_options: { search_context_size: 'low' } }

  test('alone, with its options named', () => {
    const notes = new Notes()
    assert.deepEqual(fields(request, OLD, notes), { tools: [{ googleSearch: {} }] })
    assert.deepEqual(
      notes.list.map(({ field }) => field),
      ['web_search_options.search_context_size'],
    )
  })

  test('beside functions only since Gemini 3', () => {
    const notes = new Notes()
    assert.deepEqual(fields({ ...request, tools: [time] }, OLD, notes).tools, [
      { functionDeclarations: [{ name: 'time' }] },
    ])
    assert.deepEqual(
      notes.list.map(({ field }) => field),
      ['web_search_options'],
    )
    const { tools, toolConfig } = fields({ ...request, tools: [time] }, NEW)
    assert.deepEqual(tools, [{ functionDeclarations: [{ name: 'time' }] }, { googleSearch: {} }])
    assert.deepEqual(toolConfig, { includeServerSideToolInvocations: true })
  })
})

function fields(input: Partial<RequestFields>, target: Target = OLD, notes = new Notes()) {
  return toTools({ model: 'm', messages: [], ...input }, target, notes)
}
