import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../test/fakes/stores.ts'
import { readSettings } from './kept-limits.ts'
import { Shares } from './shares.ts'

const DAY_MS = 24 * 3_600_000

await onBothStores('shares of limits', ({ one: db }) => {
  const log = { warn() {}, debug() {} }
  const needs = {
    db,
    now: () => 0,
    monotonic: () => 0,
    processName: 'p',
    processCount: () => 1,
    linesWaiting: () => 0,
    log,
  }

  /** A share of which a call has taken a part. */
  async function inUse(shares: Shares, id: string) {
    const entry = { id, appliesTo: 'all', limit: 1, window: 'day' }
    const held = shares.held(readSettings(JSON.stringify({ kind: 'budget', entry }))!, '', 0)
    await held.share.fill(100)
    held.share.take(100)
    return held
  }

  test('a call leaves its rest in a share that others use', async () => {
    const shares = new Shares(needs)
    const held = await inUse(shares, 'kept')
    const before = held.share.free
    held.share.settle(100, 40)
    shares.settled(held)
    assert.equal(held.share.free, before + 60)
  })

  test('it gives its rest back if the window is over', async () => {
    const shares = new Shares(needs)
    const held = await inUse(shares, 'over')
    assert.notEqual(shares.held(held.limit, '', DAY_MS), held)
    held.share.settle(100, 40)
    shares.settled(held)
    assert.equal(held.share.free, 0)
  })

  test('and if the limit has gone', async () => {
    const shares = new Shares(needs)
    const held = await inUse(shares, 'gone')
    shares.replaceLimits([])
    held.share.settle(100, 40)
    shares.settled(held)
    assert.equal(held.share.free, 0)
  })
})
