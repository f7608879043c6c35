import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskPrice } from '../catalog/task-prices.ts'
import { acceptedBy } from './accepted-by.ts'
import { findAdapter, providersOf } from './adapters.ts'
import { AUTH_SENTENCE } from './calls/refusal.ts'
import { exampleTask } from './calls/fixtures/example-task.ts'
import { failureOf } from './calls/fixtures/failure-of.ts'
import { performed, recordingOf, toolsAnswering } from './calls/fixtures/recording.ts'
import recorded from './errors.recorded.json' with { type: 'json' }
import type { Feature } from './feature.ts'
import { fileFieldsIn } from './file-fields.ts'
import { FEATURES } from './index.ts'

// What every adapter must obey, whatever its provider: a new one is held to it by being in the list.

const ALL = FEATURES.flatMap((feature) => {
  const others = providersOf(feature).filter((provider) => provider !== 'sandbox')
  return others.map((provider) => ({ feature, provider, address: addressOf(feature, provider) }))
})

test('who takes files says which, before anybody is asked', async () => {
  const takers = ALL.filter(({ feature }) => fileFieldsIn(feature.input).length > 0)
  assert.ok(takers.length >= 60)
  for (const { feature, provider, address } of takers) {
    const accepted = await acceptedBy(feature, await findAdapter(feature, provider)!())
    assert.ok(accepted && accepted.types.length > 0, address)
    for (const type of accepted.types) assert.match(type, /^[a-z]+\/([a-z0-9.+-]+|\*)$/, address)
  }
})

/** Those that ask somebody. */
const ASKING = ALL.filter(({ provider }) => provider !== 'local')

type RecordedError = { kind: string; status: number; headers?: Record<string, string>; json: unknown; told?: string }

const ERRORS: Partial<Record<string, RecordedError[]>> = recorded.errors

for (const { feature, provider, address } of ASKING) {
  test(`${address} tells each recorded error by its kind`, async () => {
    const errors = ERRORS[provider] ?? []
    assert.ok(errors.length >= 2, `errors.recorded.json has to have errors of ${provider}`)
    const adapter = await findAdapter(feature, provider)!()
    for (const { kind, told, status, headers, json } of errors) {
      const { tools } = toolsAnswering({ status, headers: { 'content-type': 'application/json', ...headers }, json })
      const failure = await failureOf(performed(adapter, exampleTask(feature), tools))
      assert.deepEqual([failure.kind, failure.message], [kind, told ?? AUTH_SENTENCE], JSON.stringify(json))
    }
  })
}

test('what is measured is what the price is for', async () => {
  for (const { feature, provider, address } of ASKING) {
    const unit = taskPrice(`${feature.feature}/${feature.subfeature}`, provider, null)?.unit ?? feature.unit
    assert.ok(SOLD.includes(unit), `${address} is sold by the ${unit}`)
    const { tools } = toolsAnswering(recordingOf(address))
    const { units } = await performed(await findAdapter(feature, provider)!(), exampleTask(feature), tools)
    if (PIECES.includes(unit)) assert.equal(units, 1, `${address}: one ${unit}`)
    const { text = '' } = feature.example.input as { text?: string }
    // Sold in steps, and with a least number of them; what a provider counts itself may differ from our example.
    if (unit === 'character' && !COUNTED.includes(provider))
      assert.ok(units >= [...text].length, `${address}: ${units}`)
  }
})

const SOLD = ['character', 'file', 'image', 'operation', 'page', 'request', 'second', 'token']
/** The example of a task is one of these. */
const PIECES = ['file', 'image', 'request']
/** Who says how many characters it was, of another text than ours where it was recorded. */
const COUNTED = ['amazon', 'deepl', 'modernmt']

function addressOf({ feature, subfeature }: Feature, provider: string): string {
  return `${feature}/${subfeature}/${provider}`
}
