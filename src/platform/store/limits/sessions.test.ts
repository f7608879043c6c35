import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { Database } from '../database.ts'
import { MINUTE_MS } from '../../../base/units/units.ts'
import {
  expireSessions,
  forgiveSession,
  openSession,
  readSessions,
  type SessionOpening,
  touchSessions,
} from './sessions.ts'

const IDLE_MS = 30 * MINUTE_MS

await onBothStores('sessions of limits', ({ one, other }) => {
  function opening(limit: string, session: string, more: Partial<SessionOpening> = {}): SessionOpening {
    return { limit, bucket: `k ${session}`, shared: 'k ', key: 'k', idleMs: IDLE_MS, max: 3, ...more }
  }

  /** As if nothing had been used for this long. */
  function age(db: Database, limit: string, ms: number) {
    const sql = 'UPDATE limit_sessions SET used_at = used_at - $1, window_start = window_start - $1 WHERE limit_id = $2'
    return db.query(sql, [ms, limit])
  }

  test('all processes charge the window that is open, and a new one begins when the session was idle', async () => {
    const start = await openSession(one, opening('idle', 's'))
    assert.ok(start! > 0)
    assert.equal(await openSession(other, opening('idle', 's')), start)
    await age(one, 'idle', IDLE_MS - MINUTE_MS)
    const aged = start! - (IDLE_MS - MINUTE_MS)
    assert.equal(await openSession(other, opening('idle', 's')), aged)
    // That was a use, so the whole time has to pass again.
    await age(one, 'idle', IDLE_MS - MINUTE_MS)
    assert.equal(await openSession(one, opening('idle', 's')), aged - (IDLE_MS - MINUTE_MS))
    await age(one, 'idle', IDLE_MS)
    assert.ok((await openSession(other, opening('idle', 's')))! > aged)
  })

  test('what is in use is not idle', async () => {
    await openSession(one, opening('touched', 'a'))
    await openSession(one, opening('touched', 'b'))
    await age(one, 'touched', IDLE_MS - MINUTE_MS)
    await touchSessions(one, [
      { limit: 'touched', bucket: 'k a' },
      { limit: 'touched', bucket: 'unknown' },
    ])
    await touchSessions(one, [])
    await age(one, 'touched', 2 * MINUTE_MS)
    const unused = (await readSessions(other, ['touched'])).map(({ bucket, unusedMs }) => [bucket, unusedMs < IDLE_MS])
    assert.deepEqual(unused.sort(), [
      ['k a', true],
      ['k b', false],
    ])
  })

  test('a key has so many sessions and no more, however many processes open them at once; idle ones make room', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`)
    const opened = await Promise.all(
      names.map((name, index) => openSession(index % 2 === 0 ? one : other, opening('many', name))),
    )
    assert.equal(opened.filter((start) => start !== undefined).length, 3)
    const [known] = names.filter((_, index) => opened[index] !== undefined)
    assert.ok(await openSession(other, opening('many', known!)))
    assert.ok(await openSession(one, opening('many', '')), 'the shared bucket is always there')
    assert.ok(await openSession(one, opening('many', 's', { key: 'l', bucket: 'l s', shared: 'l ' })), 'another key')
    assert.ok(await openSession(one, opening('others', 's')), 'another limit')
    await age(one, 'many', IDLE_MS)
    assert.ok(await openSession(one, opening('many', 'new')))
  })

  test('only the open window of one session is forgiven', async () => {
    const start = (await openSession(one, opening('lifted', 'a')))!
    const insert =
      'INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes) VALUES ($1, $2, $3, 5, 0, 0)'
    for (const [bucket, at] of [
      ['k a', start],
      ['k a', start - 1],
      ['k b', start],
    ] as const)
      await one.query(insert, ['lifted', bucket, at])
    assert.equal(await forgiveSession(one, { limit: 'lifted', bucket: 'k a' }), true)
    const rows = await one.query<{ forgiven: number }>(
      "SELECT forgiven FROM limit_windows WHERE limit_id = 'lifted' AND spent > 0 ORDER BY bucket, window_start",
    )
    assert.deepEqual(
      rows.map(({ forgiven }) => Number(forgiven)),
      [0, 5, 0],
    )
    assert.equal(await forgiveSession(one, { limit: 'lifted', bucket: 'k unknown' }), false)
  })

  test('what no limit waits for any more is removed', async () => {
    await openSession(one, opening('old', 'a'))
    await openSession(one, opening('new', 'a'))
    await age(one, 'old', 8 * 24 * 60 * MINUTE_MS)
    await expireSessions(one, 100)
    assert.deepEqual(await readSessions(one, ['old']), [])
    assert.equal((await readSessions(one, ['new'])).length, 1)
  })
})
