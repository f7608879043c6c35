import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closer, onBothStores } from '../../test/fakes/stores.ts'
import { temporaryJournal } from '../../test/fakes/temporary-journal.ts'
import { ledgerLine } from '../../test/fakes/ledger-line.ts'
import { type Database, StoreUnavailable } from '../store/database.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import { decodeLine, encodeLine } from './journal-line.ts'

await onBothStores('lines that a store does not take', ({ one: db }) => {
  const line = (id: string, more: object = {}) => ledgerLine({ id, at: 1_000, ...more })
  const ids = async () => (await db.query<{ id: string }>('SELECT id FROM usage ORDER BY id')).map(({ id }) => id)

  test('charges that no column takes, also of the journal of an older version, keep nothing out', async (t) => {
    const { folder, openLedger } = temporaryJournal(closer(t))
    const strange = [1e24, Infinity, Number.NaN, 0.5, -7, '9', undefined]
    const charges = strange.map((amount) => ['odd', '', 0, amount, 'p'])
    const more = [
      ['odd', 'a\0b\ud800', 0, 1, 'p'],
      ['odd', '', 0.5, 1, 'p'],
      ['odd', '', 1e300, 1, 'p'],
      'x',
      [1],
      null,
    ]
    leave(folder, [line('a', { charges: [...charges, ...more] }), line('b', { charges: 'none' }), line('c')])
    const { ledger } = openLedger(db)
    ledger.open()
    ledger.record(line('d', { charges: [...charges, ...more] }))
    await ledger.flush()
    assert.deepEqual([await ids(), ledger.lost, ledger.waiting], [['a', 'b', 'c', 'd'], 0, 0])
    const windows = await db.query<{ spent: number }>("SELECT spent FROM limit_windows WHERE bucket = ''")
    // 1e24 of both lines, and what is infinite of the one that was not in a file; a half is 1.
    assert.deepEqual(windows, [{ spent: 3e15 + 2 }])
    await ledger.close()
  })

  test('what is spent of a window stays a number that can be read, whatever it is charged', async (t) => {
    const { openLedger } = temporaryJournal(closer(t))
    const { ledger } = openLedger(db)
    for (let batch = 0; batch < 2; batch++) {
      for (let index = 0; index < 12; index++)
        ledger.record(line(`sum-${batch}-${index}`, { charges: [['sum', '', 0, 1e15, `p${index % 2}`]] }))
      await ledger.flush()
    }
    assert.deepEqual(await db.query("SELECT spent FROM limit_windows WHERE limit_id = 'sum'"), [{ spent: 9e15 }])
    await ledger.close()
  })

  test('a line that the store refuses is set aside, and the others are written', async (t) => {
    const { folder, log, openLedger } = temporaryJournal(closer(t))
    const { ledger } = openLedger(refusing(db, 'bad'))
    for (const id of ['good-1', 'good-2', 'bad', 'good-3', 'good-4']) ledger.record(line(id))
    await ledger.flush()
    assert.deepEqual(await ids(), ['good-1', 'good-2', 'good-3', 'good-4'])
    assert.deepEqual([ledger.lost, ledger.waiting], [1, 0])
    const [logged] = log.seen('it is set aside')
    assert.equal(logged!.fields.id, 'bad')
    assert.deepEqual(decodeLine(readFileSync(join(folder, 'refused.txt'), 'utf8'))!.id, 'bad')
    assert.equal(log.seen('wait for the store').length, 0)
    await ledger.close()
  })

  test('a line that the store refuses is set aside once, although the store fails before it has the others', async (t) => {
    const { folder, openLedger } = temporaryJournal(closer(t))
    const store = { fails: true }
    const { ledger } = openLedger(refusing(failing(db, 'good-4', store), 'bad'))
    for (const id of ['good-1', 'bad', 'good-3', 'good-4']) ledger.record(line(id))
    await ledger.flush()
    await ledger.flush()
    assert.deepEqual([ledger.lost, ledger.waiting], [0, 4])
    store.fails = false
    await ledger.flush()
    assert.deepEqual([ledger.lost, ledger.waiting, await ids()], [1, 0, ['good-1', 'good-3', 'good-4']])
    assert.equal(readFileSync(join(folder, 'refused.txt'), 'utf8').trim().split('\n').length, 1)
    await ledger.close()
  })

  test('lines wait if the store refuses every line', async (t) => {
    const { openLedger } = temporaryJournal(closer(t))
    const { ledger } = openLedger(refusing(db, ''))
    ledger.record(line('waits'))
    await ledger.flush()
    assert.deepEqual([ledger.lost, ledger.waiting, await ids()], [0, 1, []])
    await ledger.close()
  })
})

/** A file of a process that has died. */
function leave(folder: string, lines: LedgerLine[]): void {
  mkdirSync(folder, { recursive: true })
  appendFileSync(join(folder, `${randomUUID()}.1.jsonl`), lines.map(encodeLine).join(''))
}

/** A store that does not take what has this text in it. */
function refusing(db: Database, text: string): Database {
  return throwing(db, text, () => new Error('value out of range'))
}

/** A store that is lost whenever it gets what has this text in it, as long as `fails` is true. */
function failing(db: Database, text: string, store: { fails: boolean }): Database {
  return throwing(db, text, () => (store.fails ? new StoreUnavailable('The database is not reachable.') : undefined))
}

function throwing(db: Database, text: string, errorOf: () => Error | undefined): Database {
  return {
    ...db,
    async transaction(statements, options) {
      const hasText = statements.some(({ values = [] }) => values.some((value) => String(value).includes(text)))
      const error = hasText && errorOf()
      if (error) throw error
      return await db.transaction(statements, options)
    },
  }
}
