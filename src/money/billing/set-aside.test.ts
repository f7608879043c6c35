import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closer, onBothStores } from '../../../test/fakes/stores.ts'
import { temporaryJournal } from '../../../test/fakes/temporary-journal.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { type Database, StoreUnavailable } from '../../platform/store/database.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { decodeLine, encodeLine } from './journal-line.ts'

await onBothStores('lines that a store does not take', ({ one: db }) => {
  const line = (id: string, more: object = {}) => ledgerLine({ id, at: 1_000, ...more })
  const ids = async () => (await db.query<{ id: string }>('SELECT id FROM usage ORDER BY id')).map(({ id }) => id)

  test('a line in the journal of a dead process whose charges are damaged is set aside, and the others are written', async (t) => {
    const { folder, openLedger } = temporaryJournal(closer(t))
    leave(folder, [line('a', { charges: 'none' }), line('b', { charges: [['odd', null, 0, 'x', 'p']] }), line('c')])
    const { ledger } = openLedger(db)
    ledger.open()
    await ledger.flush()
    assert.deepEqual([await ids(), ledger.lost, ledger.waiting], [['c'], 2, 0])
    const refused = readFileSync(join(folder, 'refused.txt'), 'utf8').trim().split('\n')
    assert.deepEqual(refused.map((text) => decodeLine(text)!.id).sort(), ['a', 'b'])
    await db.query('DELETE FROM usage')
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
