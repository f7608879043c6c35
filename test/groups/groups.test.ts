import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesOf, GROUPS, ROOT } from './groups.ts'

/** The file that runs it starts a process without a network. */
const STARTED_BY_A_TEST = 'local'

test('every file of tests is in one group, and every group is run', () => {
  const groupsOf = new Map<string, string[]>()
  for (const group of GROUPS)
    for (const file of filesOf(group)) groupsOf.set(file, [...(groupsOf.get(file) ?? []), group])
  const twice = [...groupsOf].filter(([, groups]) => groups.length > 1)
  assert.deepEqual(twice, [])
  const run = globSync('test/groups/**/*.group.ts', { cwd: ROOT }).flatMap(namedIn)
  assert.deepEqual([...run, STARTED_BY_A_TEST].sort(), GROUPS.toSorted())
})

function namedIn(path: string): string[] {
  return readFileSync(join(ROOT, path), 'utf8').match(/(?<=')[\w-]+(?=')/g) ?? []
}
