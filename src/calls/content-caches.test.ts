import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContentCaches } from './content-caches.ts'

const SECONDS = 300

test('a block is created once, for all calls that come while it is being created, and reused while it lives', async () => {
  const { caches, clock, created, create } = setUp()
  const both = [caches.findOrCreate('a', 'k', SECONDS, create), caches.findOrCreate('a', 'k', SECONDS, create)]
  assert.deepEqual(
    (await Promise.all(both.map(({ coming }) => coming))).map((cache) => cache?.name),
    ['1', '1'],
  )
  clock.now += (SECONDS - 11) * 1000
  assert.equal((await caches.findOrCreate('a', 'k', SECONDS, create).coming)?.name, '1')
  clock.now += 2000
  assert.equal((await caches.findOrCreate('a', 'k', SECONDS, create).coming)?.name, '2')
  assert.equal(created.count, 2)
})

test('owners do not share blocks, and neither do contents', async () => {
  const { caches, create } = setUp()
  const names = [
    await caches.findOrCreate('a', 'k', SECONDS, create).coming,
    await caches.findOrCreate('b', 'k', SECONDS, create).coming,
    await caches.findOrCreate('a', 'other', SECONDS, create).coming,
  ].map((cache) => cache?.name)
  assert.deepEqual(names, ['1', '2', '3'])
})

test('a refusal is remembered for a minute, a forgotten block is created again', async () => {
  const { caches, clock, created, create } = setUp()
  const refused = () => caches.findOrCreate('a', 'k', SECONDS, () => Promise.reject(new Error('no'))).coming
  assert.equal(await refused(), undefined)
  assert.equal(await caches.findOrCreate('a', 'k', SECONDS, create).coming, undefined)
  clock.now += 61_000
  assert.equal((await caches.findOrCreate('a', 'k', SECONDS, create).coming)?.name, '1')
  caches.forget('a', 'k')
  await caches.findOrCreate('a', 'k', SECONDS, create).coming
  assert.equal(created.count, 2)
})

test('a block that may not have been made is not created again for a minute', async () => {
  const { caches, clock, created, create } = setUp()
  const unsure = async () => ({ name: undefined, tokens: 1, seconds: SECONDS })
  const first = caches.findOrCreate('a', 'k', SECONDS, unsure)
  assert.equal((await first.coming)?.tokens, 1)
  assert.equal(caches.findOrCreate('a', 'k', SECONDS, create), first)
  clock.now += 61_000
  assert.equal((await caches.findOrCreate('a', 'k', SECONDS, create).coming)?.name, '1')
  assert.equal(created.count, 1)
})

test('the memory is bounded', () => {
  const { caches, create } = setUp()
  for (let at = 0; at < 6000; at++) caches.findOrCreate('a', String(at), SECONDS, create)
  assert.equal(caches.size, 5000)
})

function setUp() {
  const clock = { now: 0 }
  const created = { count: 0 }
  const create = async () => ({ name: String(++created.count), tokens: 1, seconds: SECONDS })
  return { caches: new ContentCaches(() => clock.now), clock, created, create }
}
