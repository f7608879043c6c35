import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../tenants/access/caller.ts'
import { newCall } from '../call.ts'
import type { Database } from '../../platform/store/database.ts'
import { Contents } from './contents.ts'
import { cutTexts, shownValue } from './shown-value.ts'

const CALLER = { keyId: 'k', owner: 'p', project: 'p', user: null, policy: null } as unknown as Caller

test('calls never wait for a slow store: what is too much is dropped and counted', async () => {
  const { contents, dropped, release } = await slowContents()
  for (let i = 0; i < 300; i++) end(contents, `call-${i}`, 'x')
  await new Promise(setImmediate)
  // One is being written, and 200 wait.
  assert.deepEqual(dropped, Array(99).fill('too_many'))
  release()
  await contents.written()
  assert.deepEqual(new Set(dropped.slice(99)), new Set(['failed']))
  assert.equal(dropped.length, 300)
})

test('large contents take no more than their share of memory', async () => {
  const { contents, dropped, release } = await slowContents()
  const body = Array.from({ length: 100 }, () => 'x '.repeat(10_000))
  for (let i = 0; i < 60; i++) end(contents, `call-${i}`, body)
  await new Promise(setImmediate)
  assert.ok(dropped.length > 20, String(dropped.length))
  release()
  await contents.written()
})

test('a value of any size and depth is kept within limits', () => {
  let deep: unknown = 'x'
  for (let i = 0; i < 100; i++) deep = [deep]
  assert.match(JSON.stringify(shownValue(deep, 100).value), /\[omitted\]/)
  const wide = shownValue(
    Array.from({ length: 900 }, () => ['a', 'b', 'c']),
    100,
  )
  assert.equal(JSON.stringify(wide.value).match(/"[abc]"/g)!.length, 2_000)
  const { chars } = shownValue(
    Array.from({ length: 1_000 }, () => 'word '.repeat(20_000)),
    65_536,
  )
  assert.ok(chars < 1_200_000)
  const own = shownValue({ headers: { a: 'b' }, 'Api-Key': 'c', token: 'd', tokens: 'e' }, 100).value
  assert.deepEqual(own, { headers: '[hidden]', 'Api-Key': '[hidden]', token: '[hidden]', tokens: 'e' })
})

test('a cut never leaves half a character, and says how long the text was', () => {
  const text = `${'a'.repeat(99)}😀${'b'.repeat(1_000)}`
  const { value } = shownValue(text, 100)
  assert.equal(cutTexts(value, 100), `${'a'.repeat(99)}… [cut, it had ${text.length} characters]`)
  assert.equal(cutTexts('short', 100), 'short')
})

test('bytes in any form are described and not kept', () => {
  const base64 = Buffer.alloc(3_000, 7).toString('base64')
  assert.equal(shownValue({ data: base64 }, 100_000).value instanceof Object, true)
  assert.deepEqual(shownValue({ data: base64 }, 65_536).value, { data: '[base64, 3000 bytes]' })
  assert.equal(shownValue(`data:audio/wav;base64,${base64}`, 65_536).value, '[audio/wav, 3000 bytes]')
  assert.equal(shownValue('data:,x', 100).value, '[data, 0 bytes]')
})

async function slowContents() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const dropped: string[] = []
  const query = async (sql: string) => (sql.includes('FROM projects') ? [{ id: 'p', content: '{"mode":"full"}' }] : [])
  const ensure = () => released.then(() => Promise.reject(new Error('away')))
  const contents = new Contents({
    db: { query } as unknown as Database,
    blobs: { write: () => assert.fail(), read: () => assert.fail(), delete: () => assert.fail() },
    secrets: { current: { ensure } },
    engine: () => assert.fail(),
    now: Date.now,
    dropped: (reason) => dropped.push(reason),
    log: { warn: () => undefined, debug: () => undefined },
  })
  await contents.refresh()
  return { contents, dropped, release }
}

function end(contents: Contents, id: string, body: unknown): void {
  const { signal } = new AbortController()
  const facts = { id, caller: CALLER, endpoint: 'chat', startedAt: 0, signal, wantsMetadata: false }
  contents.ended(newCall({ ...facts, content: contents.begin(CALLER, body) }))
}
