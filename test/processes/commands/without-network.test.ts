import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

// The tests of the provider `local` run without a network, which proves that its engines need none.

/** Ways to start a process in an empty network namespace. The second one needs no privileges. */
const COMMANDS = [
  ['unshare', '-n'],
  ['unshare', '-r', '-n'],
]
const INSIDE = join(import.meta.dirname, '..', '..', 'without-network', 'inside.ts')

const command = COMMANDS.find(([program, ...options]) => spawnSync(program!, [...options, 'true']).status === 0)

test('every task of the provider local is done', async (t) => {
  if (!command) t.diagnostic('with a network, because this machine does not let a test cut it off (unshare -n)')
  const [program, ...options] = [...(command ?? []), process.execPath, '--test-reporter=tap', INSIDE]
  // With this variable the child would report in the format of a test runner's child.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const env = { ...inherited, GATEHOUSE_TEST_HAS_NETWORK: command ? '' : 'yes' }
  const child = spawn(program!, options, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0, output)
  assert.match(output, /^ok \d+ - all tasks of the provider local were done$/m)
  if (command) assert.match(output, /^ok \d+ - there was no network$/m)
  assert.match(output, /^# fail 0$/m)
})
