import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedNames, differencesBetween, type ProcessReport, reported } from './config-report.ts'

const KEY = 'the key of the installation'

test('secrets that look the same when they are masked are told apart, and their digests are not theirs alone', () => {
  const [one, other] = ['0123456789-one-same', '0123456789-two-same'].map((value) =>
    reported({ path: ['gatehouseApiKey'], value, origin: 'file' }, KEY),
  )
  assert.equal(one!.value, other!.value)
  assert.deepEqual(changedNames([one!], [other!]), ['gatehouseApiKey'])
  const elsewhere = reported({ path: ['gatehouseApiKey'], value: '0123456789-one-same', origin: 'file' }, 'another key')
  assert.notEqual(elsewhere.digest, one!.digest)
})

test('values that processes do not share are listed with what each of them has', () => {
  const reports = [
    processWith('a:1', { logLevel: 'info', port: 8080 }),
    processWith('b:2', { logLevel: 'debug', port: 8080 }),
    processWith('c:3', { logLevel: 'info', port: 8080, 'limits.openai.totalMs': 5 }),
  ]
  assert.deepEqual(differencesBetween(reports), [
    { name: 'logLevel', values: valuesOf(['info', 'debug', 'info']) },
    { name: 'limits.openai.totalMs', values: valuesOf([null, null, 5]) },
  ])
  assert.deepEqual(differencesBetween(reports.slice(0, 1)), [])
})

function processWith(process: string, values: Record<string, unknown>): ProcessReport {
  const list = Object.entries(values).map(([name, value]) => reported({ path: [name], value, origin: 'file' }, KEY))
  return { process, loadedAt: 0, values: list }
}

function valuesOf(values: unknown[]) {
  return ['a:1', 'b:2', 'c:3'].map((process, index) => ({ process, value: values[index] }))
}
