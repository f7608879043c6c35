import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import { isRouterValue } from './router-value.ts'

test('the router has one name, and the one that clients of the hosted original write', () => {
  for (const model of ['@service', '@edenai']) assert.equal(isRouterValue(model), true)
  for (const model of ['openai/gpt-5', 'cloudflare/@cf/meta/llama', '', 'service', 'any@service']) {
    assert.equal(isRouterValue(model), false, model)
  }
})

for (const model of ['@', '@other', '@Service', '@service ', `@${'x'.repeat(1_000)}`]) {
  test(`'${model.slice(0, 20)}' is no router: 404 that names the one there is`, () => {
    assert.throws(
      () => isRouterValue(model),
      (error) =>
        error instanceof Problem &&
        error.status === 404 &&
        error.message.includes("'@service'") &&
        error.message.length < 300,
    )
  })
}
