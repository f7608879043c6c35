import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { isNews } from './has-content.ts'
import { KeepAliveLimit, keepAliveMs } from './keep-alive-limit.ts'

test('keep-alives extend a stream up to the limit, and content sets the limit anew', () => {
  let now = 0
  const limit = new KeepAliveLimit(100, () => now)
  for (now = 50; now <= 100; now += 50) limit.noteRead()
  limit.noteContent()
  for (now = 150; now <= 250; now += 50) limit.noteRead()
  now = 251
  assert.throws(() => limit.noteRead(), { kind: 'idle_timeout' })
})

test('time in which the client does not read does not count', () => {
  let now = 0
  const limit = new KeepAliveLimit(100, () => now)
  limit.noteContent()
  now = 1_000
  limit.noteRead()
})

test('a token every two seconds keeps a stream open for as long as it likes', () => {
  let now = 0
  const limit = new KeepAliveLimit(60_000, () => now)
  for (; now < 600_000; now += 2_000) {
    limit.noteContent()
    limit.noteRead()
  }
  assert.equal(now, 600_000)
})

test('while another model is left, keep-alives help no longer than silence would last', () => {
  const limits = { headersMs: 300_000, firstTokenMs: 10_000, idleMs: 120_000 }
  assert.equal(keepAliveMs(limits, false), 120_000)
  assert.equal(keepAliveMs(limits, true), 300_000)
  assert.equal(keepAliveMs({ ...limits, firstTokenMs: 60_000, idleMs: 5_000 }, false), 60_000)
})

test('events without a part of an answer are no news', () => {
  const role: ChatChunk[] = [{ choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] } as never]
  for (const data of [
    '',
    ' ',
    'null',
    'ping',
    '5',
    '[]',
    '{}',
    ' { } ',
    '{"type":"ping"}',
    '{"type": "heartbeat", "at": 1}',
  ])
    assert.equal(isNews({ data }, []), false, data)
  assert.equal(isNews({ event: 'ping', data: '{"x":1}' }, []), false)
  assert.equal(isNews({ data: '{"choices":[]}' }, role), false)
  assert.equal(isNews({ data: '{"type":"content_block_stop","index":0}' }, []), true)
})
