import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesOf, PROCESS_NAMES, ROOT } from './groups.ts'

/** The file that runs it starts a process without a network. */
const STARTED_BY_A_TEST = 'local'

test('every file of tests is in one process, every folder has files, and every process is run', () => {
  const files = PROCESS_NAMES.flatMap(filesOf)
  assert.deepEqual(
    files.filter((file, at) => files.indexOf(file) !== at),
    [],
  )
  assert.deepEqual(files.toSorted(), globSync('{src,test,bench,pack,deploy}/**/*.test.ts', { cwd: ROOT }).sort())
  for (const name of PROCESS_NAMES) assert.ok(filesOf(name).length > 0, name)
  const run = globSync('test/groups/**/*.group.ts', { cwd: ROOT }).flatMap(namedIn)
  assert.deepEqual([...run, STARTED_BY_A_TEST].sort(), PROCESS_NAMES.toSorted())
})

function namedIn(path: string): string[] {
  return readFileSync(join(ROOT, path), 'utf8').match(/(?<=runProcess\(')[\w-]+/g) ?? []
}
