import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unusedExports } from './unused-exports.ts'

/** Exports that are found by their path: a migration by its number, programs that are compiled or printed. */
const FOUND_BY_PATH = ['src/platform/store/migrations/', 'test/clients/programs/', 'src/http/docs/receivers/']

test('what is exported is imported by another file', () => {
  assert.deepEqual(
    unusedExports().filter((name) => !FOUND_BY_PATH.some((folder) => name.startsWith(folder))),
    [],
  )
})
