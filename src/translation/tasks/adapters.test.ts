import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findAdapter, providersOf } from './adapters.ts'
import type { Adapter } from './feature.ts'
import { FEATURES } from './index.ts'

const HERE = import.meta.dirname
const registered = FEATURES.flatMap((feature) => {
  return providersOf(feature)
    .filter((provider) => provider !== 'sandbox')
    .map((provider) => ({ feature, provider, address: `${feature.feature}/${feature.subfeature}/${provider}` }))
})

test('every file beside a task is one of its adapters, and there are no others', () => {
  const files = globSync('*/*/*.ts', { cwd: HERE })
    .filter((file) => existsSync(join(HERE, dirname(file), 'feature.ts')))
    .filter((file) => !file.endsWith('/feature.ts') && !file.endsWith('.test.ts'))
  assert.deepEqual(registered.map(({ address }) => `${address}.ts`).toSorted(), files.toSorted())
  assert.ok(files.length >= 5)
})

/** Those that ask a provider. Engines are not recorded: local.test.ts runs them. */
const recorded = registered.filter(({ provider }) => provider !== 'local')

test('every adapter has a recorded answer, and every recorded answer an adapter', () => {
  const recordings = globSync('*/*/*.recorded.json', { cwd: HERE })
  assert.deepEqual(recorded.map(({ address }) => `${address}.recorded.json`).toSorted(), recordings.toSorted())
})

test('an adapter is found under its address only', async () => {
  for (const { feature, provider, address } of registered) {
    const { default: own } = await import(`./${address}.ts`)
    assert.equal(await findAdapter(feature, provider)!(), own)
    assert.equal(findAdapter(feature, ''), undefined)
    assert.equal(findAdapter(feature, provider.toUpperCase()), undefined)
  }
  assert.equal(findAdapter(FEATURES[0]!, '__proto__'), undefined)
})

test('every task can be simulated', async () => {
  for (const feature of FEATURES) {
    assert.ok(providersOf(feature).includes('sandbox'))
    const { run } = (await findAdapter(feature, 'sandbox')!()) as Adapter
    assert.equal(typeof run, 'function')
  }
})
