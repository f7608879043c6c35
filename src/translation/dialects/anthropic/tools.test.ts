import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encoded } from './fixtures/encoded.ts'

const PARAMETERS = { type: 'object', properties: { city: { type: 'string', pattern: '^Z' } }, required: ['city'] }
const WEATHER = { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: PARAMETERS } }
const PLAIN = { name: 'weather', description: 'Tells it.', input_schema: PARAMETERS }

describe('tools', () => {
  test('functions, their legacy form and their flat form', () => {
    assert.deepEqual(encoded({ tools: [WEATHER] }).body.tools, [PLAIN])
    assert.deepEqual(encoded({ functions: [WEATHER.function] }).body.tools, [PLAIN])
    assert.deepEqual(encoded({ tools: [{ type: 'function', ...WEATHER.function }] }).body.tools, [PLAIN])
    assert.deepEqual(
      encoded({ tools: [{ type: 'function', function: { name: 'now', parameters: null } }] }).body.tools,
      [{ name: 'now', input_schema: { type: 'object', properties: {} } }],
    )
  })

  test("Anthropic's own tools pass", () => {
    const tools = [{ type: 'bash_20250124', name: 'bash' }, PLAIN]
    assert.deepEqual(encoded({ tools }).body.tools, tools)
  })

  test('a custom tool is a function of one text, with a note', () => {
    const { body, noted } = encoded({ tools: [{ type: 'custom', custom: { name: 'code', format: { type: 'text' } } }] })
    assert.partialDeepStrictEqual(body.tools, [{ name: 'code', input_schema: { required: ['input'] } }])
    assert.deepEqual(noted, ['translated tools.custom'])
  })

  test('strict schemas are enforced as far as possible; other schemas stay unchanged', () => {
    const { body, noted } = encoded({ tools: [{ type: 'function', function: { ...WEATHER.function, strict: true } }] })
    const city = { type: 'string', description: '(pattern: "^Z")' }
    assert.deepEqual(body.tools, [
      { ...PLAIN, strict: true, input_schema: { ...PARAMETERS, properties: { city }, additionalProperties: false } },
    ])
    assert.deepEqual(noted, ['translated tools.parameters'])
    const older = encoded(
      { tools: [{ type: 'function', function: { ...WEATHER.function, strict: true } }] },
      { lacks: ['json_schema'] },
    )
    assert.deepEqual([older.body.tools, older.noted], [[PLAIN], ['dropped tools.strict']])
  })

  test('without a name they are refused; so is a model without tools', () => {
    assert.throws(() => encoded({ tools: [WEATHER, { type: 'function', function: {} }] }), {
      status: 422,
      message: 'tools.1.function.name: Anthropic needs a name for every tool.',
    })
    assert.throws(() => encoded({ tools: [WEATHER] }, { lacks: ['tools'] }), {
      status: 422,
      message: 'tools: this model of Anthropic does not support tools.',
    })
    const { body, noted } = encoded({ web_search_options: {} }, { lacks: ['tools'] })
    assert.deepEqual([body.tools, noted], [undefined, ['dropped web_search_options']])
  })

  test('web_search_options become the search tool', () => {
    const web_search_options = {
      search_context_size: 'medium',
      user_location: { type: 'approximate', approximate: { city: 'Bern', country: 'CH' } },
    }
    const { body, noted } = encoded({ web_search_options })
    const user_location = { type: 'approximate', city: 'Bern', country: 'CH' }
    assert.deepEqual(body.tools, [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5, user_location }])
    assert.deepEqual(noted, ['translated web_search_options'])
    assert.deepEqual(encoded({ web_search_options: {} }).body.tools, [
      { type: 'web_search_20250305', name: 'web_search' },
    ])
  })
})

describe('tool_choice', () => {
  const choices: [unknown, unknown][] = [
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'weather' } },
      { type: 'tool', name: 'weather' },
    ],
    [
      { type: 'tool', name: 'weather' },
      { type: 'tool', name: 'weather' },
    ],
    [{ type: 'any' }, { type: 'any' }],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ name: 'weather' }] } }, { type: 'any' }],
  ]
  for (const [tool_choice, expected] of choices) {
    test(JSON.stringify(tool_choice), () => {
      assert.deepEqual(encoded({ tools: [WEATHER], tool_choice: tool_choice as 'auto' }).body.tool_choice, expected)
    })
  }

  test('allowed tools are the only ones', () => {
    const other = { type: 'function', function: { name: 'other' } }
    const allowed_tools = { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] }
    const { body } = encoded({ tools: [other, WEATHER], tool_choice: { type: 'allowed_tools', allowed_tools } })
    assert.deepEqual([body.tools, body.tool_choice], [[PLAIN], { type: 'auto' }])
  })

  test('may have the legacy form `function_call`', () => {
    const { body } = encoded({ functions: [WEATHER.function], function_call: { name: 'weather' } })
    assert.deepEqual(body.tool_choice, { type: 'tool', name: 'weather' })
  })

  test('one call at a time', () => {
    const one = { disable_parallel_tool_use: true }
    assert.deepEqual(encoded({ tools: [WEATHER], parallel_tool_calls: false }).body.tool_choice, {
      type: 'auto',
      ...one,
    })
    const forced = encoded({ tools: [WEATHER], parallel_tool_calls: false, tool_choice: 'required' })
    assert.deepEqual(forced.body.tool_choice, { type: 'any', ...one })
    assert.equal(encoded({ tools: [WEATHER], parallel_tool_calls: true }).body.tool_choice, undefined)
  })

  test('a model that cannot be forced is let choose, with a note; without tools nothing is chosen', () => {
    const { body, noted } = encoded({ tools: [WEATHER], tool_choice: 'required' }, { refuses: ['tool_choice'] })
    assert.deepEqual([body.tool_choice, noted], [{ type: 'auto' }, ['translated tool_choice']])
    assert.equal(encoded({ tools: [], tool_choice: 'auto', parallel_tool_calls: false }).body.tool_choice, undefined)
    for (const tool_choice of [{ type: 'odd' }, { name: 'time' }, { allowed_tools: { tools: [] } }])
      assert.throws(() => encoded({ tools: [WEATHER], tool_choice }), { status: 422, message: /^tool_choice: / })
  })
})
