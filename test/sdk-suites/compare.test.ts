import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from './compare.ts'
import { expectedFailures, SUITES } from './suites.ts'

test('a new failure, a failure that is gone and a run without tests are surprises; a known failure is none', () => {
  const known = new Map([
    ['files get', 'a placeholder id'],
    ['files list', 'a placeholder id'],
  ])
  const results =
    'failed files get (strict sync)\npassed files list (strict sync)\nfailed files create\nskipped files other\n'
  assert.deepEqual(compare(results, known), {
    passed: 1,
    expected: 1,
    skipped: 1,
    surprises: ['fails: files create', 'no longer fails: files list (strict sync)'],
  })
  const ofOne = new Map([['files get (strict sync)', 'a placeholder id']])
  const withTwo = 'failed files get (strict sync)\nfailed files get (loose sync)\n'
  assert.deepEqual(compare(withTwo, ofOne).surprises, ['fails: files get (loose sync)'])
  assert.deepEqual(compare('passed files list\n', ofOne).surprises, ['was not run: files get (strict sync)'])
  assert.deepEqual(compare('', new Map()).surprises, ['no test was run'])
})

test('every suite has a list of the tests that are known to fail, each with its reason', async () => {
  for (const { name } of SUITES)
    for (const [known, reason] of await expectedFailures(name)) assert.ok(reason.length > 10, known)
})
