import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { readSettings } from './limit-cache.ts'
import { Shares } from './shares.ts'
import { DAY_MS } from '../../base/units/units.ts'

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
    const held = shares.windowOf(readSettings(JSON.stringify({ kind: 'budget', entry }))!, '', 0)
    await held.share.fill(100)
    held.share.take(100)
    return held
  }

  test('a call leaves its rest in a share that others use', async () => {
    const shares = new Shares(needs)
    const held = await inUse(shares, 'kept')
    const before = held.share.free
    held.share.settle(100, 40)
    shares.settled(held, 0)
    assert.equal(held.share.free, before + 60)
  })

  test('it gives its rest back if the window is over', async () => {
    const shares = new Shares(needs)
    const held = await inUse(shares, 'over')
    assert.notEqual(shares.windowOf(held.limit, '', DAY_MS), held)
    held.share.settle(100, 40)
    shares.settled(held, 0)
    assert.equal(held.share.free, 0)
  })

  test('and if the limit has gone', async () => {
    const shares = new Shares(needs)
    const held = await inUse(shares, 'gone')
    shares.replaceLimits([])
    held.share.settle(100, 40)
    shares.settled(held, 0)
    assert.equal(held.share.free, 0)
  })

  /** Of 1,000 tokens an hour, a call reserves 100 and uses 5,000. */
  async function overdrawn(shares: Shares, id: string) {
    const entry = { id, appliesTo: 'all', unit: 'tokens', limit: 1_000, window: 'hour' }
    const limit = readSettings(JSON.stringify({ kind: 'rate_limit', entry }))!
    const held = shares.windowOf(limit, '', 0)
    assert.equal(await held.share.fill(100), undefined)
    held.share.take(100)
    shares.settled(held, held.share.settle(100, 5_000))
    return { limit, share: held.share }
  }

  test('what a call has used beyond its reservation of a rate is known to other processes', async () => {
    const { limit, share } = await overdrawn(new Shares(needs), 'overdrawn')
    await share.giveBack()
    const other = new Shares({ ...needs, processName: 'q' }).windowOf(limit, '', 0)
    const { waitMs } = (await other.share.fill(1))!
    assert.ok(waitMs! > 3_500_000 && waitMs! <= 3_600_100, `${waitMs}: one hour after the call`)
  })

  test('it is not forgotten when no call has used it for a while, nor when the process ends', async () => {
    for (const id of ['waited', 'ended']) {
      let passed = 0
      const shares = new Shares({ ...needs, monotonic: () => passed })
      const { limit } = await overdrawn(shares, id)
      passed = 100_000
      await (id === 'waited' ? shares.tend() : shares.close())
      assert.ok(await new Shares(needs).windowOf(limit, '', 0).share.fill(1), id)
    }
  })

  for (const isRefused of [false, true])
    test(`the end waits for what is on its way to the store, and sends it again if it is refused: ${isRefused}`, async () => {
      const [departure, arrival] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let isHeld = false
      const transaction: typeof db.transaction = async (statements) => {
        if (!isHeld) return await db.transaction(statements)
        isHeld = false
        departure.resolve()
        await arrival.promise
        if (isRefused) throw new Error('refused')
        return await db.transaction(statements)
      }
      const shares = new Shares({ ...needs, db: Object.assign(Object.create(db) as typeof db, { transaction }) })
      const entry = { id: `on-its-way-${isRefused}`, appliesTo: 'all', unit: 'tokens', limit: 1_000, window: 'hour' }
      const held = shares.windowOf(readSettings(JSON.stringify({ kind: 'rate_limit', entry }))!, '', 0)
      await held.share.fill(100)
      held.share.take(100)
      isHeld = true
      shares.settled(held, held.share.settle(100, 5_000))
      await departure.promise
      setImmediate(arrival.resolve)
      await shares.close()
      assert.ok(await new Shares({ ...needs, processName: 'q' }).windowOf(held.limit, '', 0).share.fill(1))
    })

  test('a clean end asks the store once, however many rates there are', async () => {
    let asked = 0
    const ask = <Args extends unknown[], Answer>(method: (...args: Args) => Answer) => {
      return (...args: Args) => {
        asked++
        return method(...args)
      }
    }
    const counting = Object.assign(Object.create(db) as typeof db, {
      query: ask(db.query.bind(db)),
      transaction: ask(db.transaction.bind(db)),
    })
    const shares = new Shares({ ...needs, db: counting })
    const entry = { id: 'many', appliesTo: 'all', per: 'key', unit: 'tokens', limit: 1_000, window: 'hour' }
    const limit = readSettings(JSON.stringify({ kind: 'rate_limit', entry }))!
    for (const key of ['a', 'b', 'c']) await shares.windowOf(limit, key, 0).share.fill(10)
    asked = 0
    await shares.close()
    assert.equal(asked, 1)
  })

  test('a store that is away does not lose it', async () => {
    let isAway = false
    const transaction: typeof db.transaction = (statements) => {
      return isAway ? Promise.reject(new Error('away')) : db.transaction(statements)
    }
    const unsteady = Object.assign(Object.create(db) as typeof db, { transaction })
    const shares = new Shares({ ...needs, db: unsteady })
    const entry = { id: 'away', appliesTo: 'all', unit: 'tokens', limit: 1_000, window: 'hour' }
    const held = shares.windowOf(readSettings(JSON.stringify({ kind: 'rate_limit', entry }))!, '', 0)
    await held.share.fill(100)
    held.share.take(100)
    isAway = true
    shares.settled(held, held.share.settle(100, 5_000))
    await assert.rejects(held.share.fill(1))
    isAway = false
    await held.share.tell()
    const other = new Shares({ ...needs, processName: 'q' }).windowOf(held.limit, '', 0)
    assert.ok(await other.share.fill(1))
  })
})
