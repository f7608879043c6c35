import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../test/soak/sample.ts'
import { CountTokensRequest } from './tokens.ts'
import { validator } from '../base/schema/validator.ts'

const requests = validator(CountTokensRequest)

const type = fc.constantFrom('text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'of_tomorrow')
const block = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), type).map(([more, type]) => ({ ...more, type }))
const content = fc.oneof(fc.string(), fc.array(block, { maxLength: 3 }))
const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content })
const text = fc.record({ type: fc.constant('text'), text: fc.string() })
const request = fc.record(
  {
    model: fc.string({ minLength: 1 }),
    messages: fc.array(message, { maxLength: 4 }),
    system: fc.oneof(fc.string(), fc.array(text, { maxLength: 2 })),
    tools: fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 2 }),
    tool_choice: fc.record({ type: fc.constantFrom('auto', 'any', 'tool', 'none') }),
  },
  { requiredKeys: ['model', 'messages'] },
)
const unknown = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,9}$/), fc.jsonValue())

test('everything that the messages format allows is accepted, with any further fields', () => {
  fc.assert(
    fc.property(request, unknown, (request, more) =>
      assert.deepEqual(requests.issues({ ...request, ...more }, []), []),
    ),
    { numRuns: sample(50, 150) },
  )
})

test('model and messages are required, and a value of the wrong type is named by its path', () => {
  const wrong = { model: 5, messages: 'hello', system: 7, tools: {}, tool_choice: 'auto' }
  const field = fc.constantFrom(...(Object.keys(wrong) as (keyof typeof wrong)[]))
  fc.assert(
    fc.property(request, field, fc.boolean(), (request, field, isLeftOut) => {
      const isNeeded = field === 'model' || field === 'messages'
      const { [field]: _, ...rest } = request
      const options = isLeftOut && isNeeded ? rest : { ...request, [field]: wrong[field] }
      assert.deepEqual(requests.issues(options, ['body'])[0]?.loc.slice(0, 2), ['body', field])
    }),
    { numRuns: sample(40, 100) },
  )
})
