import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { PROGRAM } from '../../gateway/gateway-process.ts'

test('a command whose reader has seen enough ends without a word', () => {
  const script = '"$0" "$1" completion fish | true'
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, PROGRAM], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})
