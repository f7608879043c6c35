import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
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

test('a process in which a failed test left a server open ends as failed, and names what is open', () => {
  const program = `
    import { createServer } from 'node:net'
    import { test } from 'node:test'
    import { endProcessAfterTests } from '${pathToFileURL(join(import.meta.dirname, 'end-process.ts'))}'
    endProcessAfterTests(1)
    test('fails', async () => {
      await new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve))
      throw new Error()
    })`
  const { status, stdout, stderr } = runProgram(program)
  assert.match(stderr, /The tests left open: .*TCPServerWrap/)
  assert.match(stdout, /✖ fails/)
  assert.equal(status, 1)
})

test('a test that waits for ever is named when the time of its file is over, and the next file is run', () => {
  const program = `
    import { test } from 'node:test'
    import { runFile } from '${pathToFileURL(join(import.meta.dirname, 'run-file.ts'))}'
    runFile('first.test.ts', async () => void test('waits', () => new Promise(() => {})), 100)
    runFile('second.test.ts', async () => void test('comes next', () => {}))`
  const { status, stdout } = runProgram(program)
  assert.match(stdout, /✖ waits/)
  assert.match(stdout, /test timed out after 100ms/)
  assert.match(stdout, /✔ comes next/)
  assert.equal(status, 1)
})

function runProgram(program: string) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    // Otherwise it would report to the run that this test is part of.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
}

function namedIn(path: string): string[] {
  return readFileSync(join(ROOT, path), 'utf8').match(/(?<=runProcess\(')[\w-]+/g) ?? []
}
