import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedNames, differencesBetween, type ProcessReport, reported } from './config-report.ts'
import type { EffectiveValue } from './effective-values.ts'

const KEY = 'the key of the installation'

test('secrets that look the same when they are masked are told apart, and their digests are not theirs alone', () => {
  const secrets = ['0123456789-one-same', '0123456789-two-same'].map(
    (value): EffectiveValue => ({ path: ['gatehouseApiKey'], value, origin: 'file' }),
  )
  const [one, other] = secrets.map((secret) => reported(secret, KEY))
  assert.equal(one!.value, other!.value)
  assert.notEqual(one!.digest, other!.digest)
  assert.deepEqual(changedNames([secrets[0]!], [secrets[1]!]), ['gatehouseApiKey'])
  const elsewhere = reported({ path: ['gatehouseApiKey'], value: '0123456789-one-same', origin: 'file' }, 'another key')
  assert.notEqual(elsewhere.digest, one!.digest)
})

test('values that are new, gone or different have changed; one that is not set counts as null', () => {
  const values = (entries: Record<string, unknown>) =>
    Object.entries(entries).map(([name, value]): EffectiveValue => ({ path: [name], value, origin: 'file' }))
  const before = values({ gone: 1, same: ['a'], other: { b: 1 }, unset: undefined })
  const after = values({ unset: null, other: { b: 2 }, same: ['a'], added: 0 })
  assert.deepEqual(changedNames(before, after), ['gone', 'other', 'added'])
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
