import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { providersOf } from './adapters.ts'
import type { Report } from './fixtures/every-local-task.ts'
import { FEATURES } from './index.ts'

const PROGRAM = fileURLToPath(new URL('./fixtures/every-local-task.ts', import.meta.url))
/** A network of its own, in which there is nothing; as root of a user namespace where one is not root. */
const WAYS = [
  ['unshare', '-n'],
  ['unshare', '-r', '-n'],
]
const way = WAYS.find(([unshare, ...flags]) => spawnSync(unshare!, [...flags, 'true']).status === 0)
const skip = way ? false : 'this machine does not let a test cut off a network (unshare -n)'

describe('a process that does every task of the provider local', () => {
  let report: Report
  before(async () => {
    const [command, ...flags] = [...(way ?? []), process.execPath, PROGRAM]
    report = JSON.parse((await promisify(execFile)(command!, flags)).stdout)
  })

  test('gets through all of them', () => {
    const own = FEATURES.filter((feature) => providersOf(feature).includes('local'))
    assert.deepEqual(
      report.done,
      own.map(({ feature, subfeature }) => `${feature}/${subfeature}`),
    )
    assert.ok(own.length >= 14)
  })

  test('has no network while it does', { skip }, () => {
    assert.deepEqual([report.networks, report.reached], [[], false])
  })
})
