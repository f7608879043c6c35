import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { providersOf } from '../../src/translation/tasks/adapters.ts'
import { done } from '../../src/translation/tasks/fixtures/local.ts'
import { FEATURES } from '../../src/translation/tasks/index.ts'
import { filesOf, ROOT } from '../groups/groups.ts'

// without-network.test.ts runs this in a process without a network. Tests run in the order in which they are imported.

/** An address reserved for documentation: no server answers there, but with a network it is not refused at once. */
const ELSEWHERE = 'http://192.0.2.1'
const LIMIT_MS = 60_000

for (const file of filesOf('local')) await import(join(ROOT, file))

test('all tasks of the provider local were done', () => {
  const own = FEATURES.filter((feature) => providersOf(feature).includes('local'))
  assert.deepEqual([...done].sort(), own.map(({ feature, subfeature }) => `${feature}/${subfeature}`).sort())
  assert.ok(own.length >= 14)
})

const skip = process.env.GATEHOUSE_TEST_HAS_NETWORK === 'yes'

test('there was no network', { skip }, async () => {
  assert.deepEqual(Object.keys(networkInterfaces()), [])
  await assert.rejects(fetch(ELSEWHERE, { signal: AbortSignal.timeout(LIMIT_MS) }), (error: Error) => {
    return (error.cause as { code?: string } | undefined)?.code === 'ENETUNREACH'
  })
})
