import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean, nearestName } from './nearest-name.ts'

const NAMES = ['serve', 'keys', 'init', 'doctor', 'port', 'dataDir', 'databaseUrl', 'baseUrl', 'webhook-key']

test('a mistyped name has its nearest one, and a different word has none', () => {
  const rows: [string, string | undefined][] = [
    ['serv', 'serve'],
    ['sevre', 'serve'],
    ['key', 'keys'],
    ['kyes', 'keys'],
    ['prot', 'port'],
    ['PORT', 'port'],
    ['data_dir', 'dataDir'],
    ['DATABASE-URL', 'databaseUrl'],
    ['database', 'databaseUrl'],
    ['doc', 'doctor'],
    ['webhookkey', 'webhook-key'],
    ['nonsense', undefined],
    ['x', undefined],
    ['', undefined],
    ['--', undefined],
    ['serve'.repeat(30), undefined],
  ]
  for (const [name, nearest] of rows) assert.equal(nearestName(name, NAMES), nearest, name)
  assert.equal(nearestName('base', ['baseUrl', 'baseline']), undefined)
})

test('the sentence is empty if there is nothing to suggest', () => {
  assert.equal(didYouMean('nmae', ['name'], '--'), ' Did you mean --name?')
  assert.equal(didYouMean('zebra', ['name']), '')
})
