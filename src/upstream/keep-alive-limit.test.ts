import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeepAliveLimit } from './keep-alive-limit.ts'

test('keep-alives extend a stream up to the limit, and content sets the limit anew', () => {
  let now = 0
  const limit = new KeepAliveLimit(100, () => now)
  for (now = 50; now <= 100; now += 50) limit.noteRead()
  limit.noteContent()
  for (now = 150; now <= 250; now += 50) limit.noteRead()
  now = 251
  assert.throws(() => limit.noteRead(), { kind: 'idle_timeout' })
})

test('time in which nobody reads does not count', () => {
  let now = 0
  const limit = new KeepAliveLimit(100, () => now)
  limit.noteContent()
  now = 1_000
  limit.noteRead()
})
