import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { LedgerLine } from '../ledger/ledger-line.ts'
import type { Charge } from '../limits/charges.ts'
import { projectOwner } from '../owner.ts'
import { GATEWAY, insertLines, type LineAnswer, noteTools, storeAnswers, takeLines } from './batch-lines.ts'
import { beginAsking, claimBatches } from './batch-runs.ts'
import { insertBatch } from './batches.ts'

const OWNER = projectOwner({ organization: 'default', project: 'default' })
const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const CHARGE: Charge = ['batches', '', 0, 7, 'process']

await onBothStores('answers of lines', ({ one: db }) => {
  test('are stored with their lines of the ledger: all of a group or none, and once', async () => {
    const batch = await begun()
    const unsound = ledgerLine({ id: 'unsound' })
    // What a damaged journal may have: the last statement of the group fails.
    Object.assign(unsound, { charges: [['batches', null, 0, 'x', 'process']] })
    const group = [1, 2, 3].map((number) => answered(number))
    await assert.rejects(store([...group.slice(0, 2), answered(3, unsound)]))
    assert.deepEqual(await stored(), { ended: 0, booked: 0, spent: 0, succeeded: 0 })
    assert.equal(await store(group), true)
    const all = { ended: 3, booked: 3, spent: 21, succeeded: 3 }
    assert.deepEqual(await stored(), all)
    assert.equal(await store(group), true)
    assert.deepEqual(await stored(), all)

    function store(answers: LineAnswer[]): Promise<boolean> {
      return storeAnswers(db, batch, answers, { counts: true })
    }
  })

  test('are not stored by an attempt that does not have the batch any more, and nor are their lines', async () => {
    const { id, attempt } = await begun()
    assert.equal(await storeAnswers(db, { id, attempt: attempt - 1 }, [answered(1)], { counts: true }), false)
    assert.deepEqual(await stored(), { ended: 0, booked: 0, spent: 0, succeeded: 0 })
  })

  test('what is called for a line is found by the next attempt, and is not stored by the one before', async () => {
    const batch = await begun()
    const asked = { limit: 3, carrier: GATEWAY } as const
    await takeLines(db, batch, asked)
    assert.equal(await noteTools(db, batch, 2, '{"tools":["close"]}'), true)
    await db.query('UPDATE batches SET attempt = attempt + 1')
    assert.equal(await noteTools(db, batch, 3, '{"tools":["late"]}'), false)
    const lines = await takeLines(db, { ...batch, attempt: batch.attempt + 1 }, asked)
    assert.deepEqual(
      lines.map(({ tools }) => tools),
      [null, '{"tools":["close"]}', null],
    )
  })

  async function begun() {
    await db.query("DELETE FROM limit_windows WHERE limit_id = 'batches'")
    const about = { ...OWNER, id: ID, keyId: 'key', endUser: null, door: 'openai' as const, endpoint: null, name: null }
    const what = { inputFile: 'file', request: {}, webhookUrl: null, windowMs: 1_000_000, total: 3 }
    await insertBatch(db, { ...about, ...what }, 1)
    const [batch] = await claimBatches(db, { worker: 'worker', leaseMs: 1_000_000, limit: 1 })
    const lines = [1, 2, 3].map((number) => ({ number, customId: null, begins: number, length: 1 }))
    await insertLines(db, batch!, lines, GATEWAY)
    await beginAsking(db, batch!, 3)
    return batch!
  }

  async function stored() {
    const [row] = await db.query<Record<string, number>>(
      `SELECT (SELECT COUNT(*) FROM batch_lines WHERE outcome IS NOT NULL) AS ended, (SELECT COUNT(*) FROM usage) AS booked,
        COALESCE((SELECT spent FROM limit_windows WHERE limit_id = 'batches'), 0) AS spent, (SELECT succeeded FROM batches) AS succeeded`,
    )
    return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]))
  }
})

function answered(
  number: number,
  line: LedgerLine = ledgerLine({ id: `line-${number}`, charges: [CHARGE] }),
): LineAnswer {
  return { number, outcome: 'succeeded', status: 200, requestId: line.id, answer: '{}', ledgerLine: line }
}
