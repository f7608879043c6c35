import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import { Routing } from '../../../contract/routing.ts'
import { validator } from '../../../base/schema/validator.ts'
import { routingServices } from './fixtures/routing-services.ts'
import { preferencesOf } from './preferences.ts'

const { providers } = routingServices({ openai: {}, amazon: {} }).config
const { check, issues } = validator(Routing)

test('the defaults are: halfway, no sort order, all providers', () => {
  const silent = { sort: null, qualityCost: 5, allowedProviders: null }
  const wordless = [undefined, null, {}, { sort: null, quality_cost: null, allowed_providers: null }]
  for (const routing of wordless) assert.deepEqual(preferencesOf(routing, providers), silent)
})

test('a provider may be called by its other name', () => {
  assert.deepEqual(preferencesOf({ allowed_providers: ['bedrock', 'openai'] }, providers).allowedProviders, [
    'amazon',
    'openai',
  ])
})

for (const name of ['unknown', 'toString', '__proto__', '']) {
  test(`there is no provider '${name}': 422 that says where`, () => {
    assert.throws(
      () => preferencesOf({ allowed_providers: ['openai', name] }, providers),
      (error) => {
        assert.ok(error instanceof Problem)
        assert.equal(error.status, 422)
        assert.deepEqual(error.details.detail?.[0]?.loc, ['body', 'routing', 'allowed_providers', 1])
        return error.message.includes(`'${name}'`)
      },
    )
  })
}

describe('the schema', () => {
  const valid = [
    {},
    { sort: 'cost' },
    { sort: 'latency', quality_cost: 0 },
    { quality_cost: 10, allowed_providers: ['a'] },
  ]
  for (const routing of valid) test(`takes ${JSON.stringify(routing)}`, () => assert.ok(check(routing)))

  const invalid: [object, string][] = [
    [{ sort: 'price' }, "Input should be 'cost', 'speed', 'latency', 'exact' or 'quality'"],
    [{ quality_cost: 11 }, 'Input should be less than or equal to 10'],
    [{ quality_cost: -1 }, 'Input should be greater than or equal to 0'],
    [{ allowed_providers: [] }, 'List should have at least 1 item after validation, not 0'],
    [{ allowed_providers: 'openai' }, 'Input should be a valid list'],
    [{ qualityCost: 3 }, 'Extra inputs are not permitted'],
  ]
  for (const [routing, msg] of invalid) {
    test(`refuses ${JSON.stringify(routing)}`, () => {
      assert.ok(!check(routing))
      assert.deepEqual(
        issues(routing, ['body', 'routing']).map((issue) => issue.msg),
        [msg],
      )
    })
  }
})
