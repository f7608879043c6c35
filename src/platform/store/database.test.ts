import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import type { Value } from './database.ts'

await onBothStores('the database', ({ one: db }) => {
  beforeEach(async () => {
    await db.query(
      `CREATE TABLE IF NOT EXISTS things
       (id TEXT PRIMARY KEY, label TEXT, whole BIGINT, real DOUBLE PRECISION, bytes BYTEA)`,
    )
    await db.query('DELETE FROM things')
  })

  test('takes a transaction as a whole or not at all', async () => {
    const insert = (id: string) => ({ sql: 'INSERT INTO things (id) VALUES ($1)', values: [id] })
    await assert.rejects(db.transaction([insert('a'), insert('b'), insert('a')]))
    assert.deepEqual(await db.query('SELECT id FROM things'), [])
    const results = await db.transaction([insert('a'), { sql: 'SELECT id FROM things' }])
    assert.deepEqual(results, [
      { rows: [], changes: 1 },
      { rows: [{ id: 'a' }], changes: 1 },
    ])
    assert.deepEqual(await db.transaction([]), [])
  })

  test('lets one of many concurrent calls fail alone', async () => {
    const insert = (index: number) => ({ sql: 'INSERT INTO things (id) VALUES ($1)', values: [`${index}`] })
    const twice = (index: number) => (index % 10 === 3 ? [insert(index), insert(index)] : [insert(index)])
    const settled = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => db.transaction(twice(index))))
    const failed = settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
    assert.deepEqual(failed, [3, 13, 23])
    assert.equal((await db.query('SELECT id FROM things')).length, 27)
  })

  test('gives every value back as it was', async () => {
    const rows: [text: Value, whole: Value, real: Value, bytes: Value][] = [
      ['plain', 0, 0.1, new Uint8Array([0, 1, 255])],
      ['Ünï 漢字 🏛️ \u202e \n \\ \' " 007 1e3', Number.MAX_SAFE_INTEGER, 5e-324, new Uint8Array(0)],
      ['', -Number.MAX_SAFE_INTEGER, 1.7976931348623157e308, Buffer.from('within a larger pool')],
      ['0123', 1_700_000_000_123, -2.5, new Uint8Array([1, 2, 3, 4]).subarray(1, 3)],
      [null, null, null, null],
    ]
    for (const [index, row] of rows.entries()) {
      const sql = 'INSERT INTO things (id, label, whole, real, bytes) VALUES ($1, $2, $3, $4, $5)'
      await db.query(sql, [`${index}`, ...row])
    }
    const found = await db.query<Record<string, Value>>('SELECT label, whole, real, bytes FROM things ORDER BY id')
    const expected = rows.map(([label, whole, real, bytes]) => ({ label, whole, real, bytes: asPlainBytes(bytes) }))
    assert.deepEqual(found, expected)
  })

  test('fails only the call whose value no database takes, or makes something harmless of it', async () => {
    await db.query('INSERT INTO things (id, label) VALUES ($1, $2)', ['nul', 'a\0b'])
    const [row] = await db.query<{ label: string }>('SELECT label FROM things WHERE id = $1', ['nul'])
    assert.match(row!.label, /^a(\0|\uFFFD)b$/)
    const [bad, good] = await Promise.allSettled([
      db.query('SELECT whole FROM things WHERE whole = $1', [{} as unknown as Value]),
      db.query('SELECT id FROM things'),
    ])
    assert.equal(bad.status, 'rejected')
    assert.equal(good.status, 'fulfilled')
  })

  test('takes placeholders in any order and more than once', async () => {
    await db.query('INSERT INTO things (label, id, whole) VALUES ($2, $1, $3)', ['id', 'label', 1])
    const sql = 'SELECT id FROM things WHERE whole = $2 AND (id = $1 OR label = $1) AND whole >= $2'
    assert.deepEqual(await db.query(sql, ['label', 1]), [{ id: 'id' }])
  })
})

function asPlainBytes(value: Value): Value {
  return value instanceof Uint8Array ? Uint8Array.from(value) : value
}
