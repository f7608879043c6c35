import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { providersOf } from '../../src/features/adapters.ts'
import { done } from '../../src/features/fixtures/local.ts'
import { FEATURES } from '../../src/features/index.ts'
import { isCutOff } from './run-cut-off.ts'
import { runGroup } from './run-group.ts'

/** An address for documentation: nobody answers there, but where there is a network it is not refused at once. */
const ELSEWHERE = 'http://192.0.2.1'
const LIMIT_MS = 1_000
const skip = isCutOff ? false : 'this machine does not let a test cut off a network (unshare -n)'

runGroup('without-network')

test('every task of the provider local was done', () => {
  const own = FEATURES.filter((feature) => providersOf(feature).includes('local'))
  assert.deepEqual([...done].sort(), own.map(({ feature, subfeature }) => `${feature}/${subfeature}`).sort())
  assert.ok(own.length >= 14)
})

test('and there was no network', { skip }, async () => {
  assert.deepEqual(Object.keys(networkInterfaces()), [])
  await assert.rejects(fetch(ELSEWHERE, { signal: AbortSignal.timeout(LIMIT_MS) }), (error: Error) => {
    return (error.cause as { code?: string } | undefined)?.code === 'ENETUNREACH'
  })
})
