import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unusedExports } from './unused-exports.ts'

/** Exports that are found by their path: a migration by its number, programs that are compiled or printed. */
const FOUND_BY_PATH = ['src/store/migrations/', 'test/clients/programs/', 'src/http/docs/receivers/']

/** Where types are still exported without an importer. */
const NOT_YET = [
  'src/attempts/',
  'src/audio/',
  'src/calls/',
  'src/chat/',
  'src/http/routes/',
  'src/images/',
  'src/jobs/',
  'src/limits/',
  'src/store/',
  'src/upstream/',
]

test('what is exported is imported by another file', () => {
  const excluded = [...FOUND_BY_PATH, ...NOT_YET]
  assert.deepEqual(
    unusedExports().filter((name) => !excluded.some((folder) => name.startsWith(folder))),
    [],
  )
})
