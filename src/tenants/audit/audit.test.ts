import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sharedPrivateKey } from '../../../test/fakes/signing-key.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import type { Database } from '../../platform/store/database.ts'
import { auditHead, listAudit } from '../../platform/store/audit/read.ts'
import { openSigner } from '../../jobs/webhooks/signature.ts'
import { CLI } from './author.ts'
import { checkpointBody, readCheckpoint, signatureCheck, writeCheckpoint } from './checkpoints.ts'
import { writeAuditEvents, audited } from './audited.ts'
import { verifyAudit } from './verify.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const privateKey = sharedPrivateKey()
const signer = openSigner(privateKey)
const check = signatureCheck([createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()])
const INSERT = "INSERT INTO settings (name, value) VALUES ($1, '') ON CONFLICT (name) DO NOTHING RETURNING name"

const event = (number: number) => ({
  action: 'key.update',
  object: `key:${number}`,
  before: { name: 'a "quoted"\nname \ud83d\ude00', scopes: ['chat'] },
  after: { name: `name ${number}`, cost: 0.00000249, scopes: null },
})

await onBothStores('the audit log', ({ one, other }) => {
  const db = one
  beforeEach(() => emptied(db))

  test('entries of many writers at once are one chain, and every one is there', async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index)
    await Promise.all(numbers.map((number) => writeAuditEvents(number % 2 ? one : other, CLI, event(number))))
    assert.deepEqual(await verifyAudit(other, check), { rows: 30, checkpoints: 0, faults: [] })
    const { rows } = await listAudit(one, { limit: 100 })
    assert.deepEqual(new Set(rows.map(({ object }) => object)), new Set(numbers.map((number) => `key:${number}`)))
  })

  test('an absent member is left out at any depth, and stops nothing', async () => {
    const after = { kept: 1, gone: undefined, deep: { own: undefined, list: [{ own: undefined }, undefined] } }
    await writeAuditEvents(db, CLI, { action: 'requests.export', object: 'requests', after })
    const { rows } = await listAudit(one, { limit: 1 })
    assert.deepEqual(JSON.parse(rows[0]!.after!), { kept: 1, deep: { list: [{}, null] } })
    assert.deepEqual((await verifyAudit(other, check)).faults, [])
  })

  test('an entry is there if and only if its change is', async () => {
    const insert = (name: string) => audited(db, CLI, event(1)).query(INSERT, [name])
    await insert('one')
    await insert('one')
    assert.equal((await auditHead(db))!.seq, 1, 'the second insertion changed nothing')
    const failing = audited(db, CLI, event(2)).transaction([
      { sql: INSERT, values: ['two'] },
      { sql: INSERT, values: ['one'], required: true },
    ])
    assert.equal((await failing).length, 2)
    assert.deepEqual(await db.query('SELECT name FROM settings WHERE name = $1', ['two']), [])
    await assert.rejects(audited(db, CLI, event(3)).query('INSERT INTO settings (name) VALUES ($1)', ['three']))
    assert.equal((await auditHead(db))!.seq, 1)
  })

  for (const [name, statements, fault] of TAMPERING())
    test(`verify finds rows that were ${name}`, async () => {
      await writeAuditEvents(db, CLI, ...[1, 2, 3, 4, 5].map(event))
      await db.transaction(statements.map((sql) => ({ sql })))
      const { faults } = await verifyAudit(db, check)
      assert.match(faults.map((one) => one.fault).join('; '), fault)
    })

  test('a checkpoint shows that the end was cut off, or that everything was written anew', async () => {
    await writeAuditEvents(db, CLI, event(1), event(2))
    const checkpoint = await writeCheckpoint(db, signer, 1_000)
    const sent = readCheckpoint({ msg: 'audit checkpoint', checkpoint: checkpointBody(checkpoint!) })
    assert.deepEqual(sent, checkpoint)
    await db.transaction([{ sql: 'DELETE FROM audit_checkpoints' }, { sql: 'DELETE FROM audit WHERE seq = 2' }])
    assert.deepEqual((await verifyAudit(db, check)).faults, [], 'the chain alone is right')
    assert.match((await verifyAudit(db, check, [sent!])).faults[0]!.fault, /cut off/)
    await writeAuditEvents(db, CLI, event(9))
    assert.match((await verifyAudit(db, check, [sent!])).faults[0]!.fault, /the log was rewritten/)
    const forged = { ...sent!, hash: (await auditHead(db))!.hash }
    assert.match((await verifyAudit(db, check, [forged])).faults[0]!.fault, /wrong signature/)
    const foreign = { ...sent!, keyId: '0'.repeat(16) }
    assert.match((await verifyAudit(db, check, [foreign])).faults[0]!.fault, /not known here/)
  })

  test('a checkpoint is written after an hour with new rows, and of two processes one writes it', async () => {
    assert.equal(await writeCheckpoint(one, signer, 0), undefined, 'there is nothing to say yet')
    await writeAuditEvents(one, CLI, event(1))
    const both = await Promise.all([writeCheckpoint(one, signer, 5), writeCheckpoint(other, signer, 5)])
    assert.equal(both.filter(Boolean).length, 1)
    assert.equal(await writeCheckpoint(one, signer, 5 + HOUR_MS), undefined, 'there is no new row')
    await writeAuditEvents(one, CLI, event(2))
    assert.equal(await writeCheckpoint(one, signer, 4 + HOUR_MS), undefined)
    assert.equal((await writeCheckpoint(one, signer, 5 + HOUR_MS))?.seq, 2)
    await writeAuditEvents(one, CLI, ...Array.from({ length: 1_000 }, (_, index) => event(index)))
    assert.equal((await writeCheckpoint(one, signer, 6 + HOUR_MS))?.seq, 1_002)
    assert.deepEqual((await verifyAudit(one, check)).faults, [])
  })
})

function TAMPERING(): [name: string, statements: string[], fault: RegExp][] {
  const copy = `INSERT INTO audit (seq, at, actor, via, action, object, before, after, ip, request, prev, hash)
    SELECT seq + 1, at, actor, via, action, object, before, after, ip, request, prev, hash FROM audit WHERE seq = 2`
  const shift = [5, 4, 3].map((seq) => `UPDATE audit SET seq = ${seq + 1} WHERE seq = ${seq}`)
  const swap = [
    [2, 99],
    [3, 2],
    [99, 3],
  ].map(([from, to]) => `UPDATE audit SET seq = ${to} WHERE seq = ${from}`)
  return [
    ['changed', [`UPDATE audit SET actor = 'user:1' WHERE seq = 3`], /not what was written/],
    ['changed in time', ['UPDATE audit SET at = at + 1 WHERE seq = 3'], /not what was written/],
    ['changed to what is no JSON', [`UPDATE audit SET after = '{' WHERE seq = 3`], /not what was written/],
    ['inserted', [...shift, copy], /does not follow/],
    ['removed', ['DELETE FROM audit WHERE seq = 3'], /rows 3 to 3 are missing/],
    ['removed at the beginning', ['DELETE FROM audit WHERE seq = 1'], /rows 1 to 1 are missing/],
    ['put in another order', swap, /does not follow/],
  ]
}

/** Removes the fence, as an administrator of the database could. */
async function emptied(db: Database) {
  const tables = ['audit', 'audit_checkpoints']
  const drops =
    db.kind === 'postgres'
      ? tables.map((table) => `DROP TRIGGER IF EXISTS ${table}_append_only ON ${table}`)
      : tables.flatMap((table) => [
          `DROP TRIGGER IF EXISTS ${table}_no_update`,
          `DROP TRIGGER IF EXISTS ${table}_no_delete`,
        ])
  const deletions = tables.map((table) => `DELETE FROM ${table}`)
  await db.transaction([...drops, ...deletions].map((sql) => ({ sql })))
}

await onBothStores('the fence of the audit log', ({ one: db }) => {
  test('the store refuses changes of the log', async () => {
    await writeAuditEvents(db, CLI, event(1))
    for (const sql of [`UPDATE audit SET actor = 'x'`, 'DELETE FROM audit'])
      await assert.rejects(db.query(sql), /can only be appended to/, sql)
    assert.deepEqual((await verifyAudit(db, check)).faults, [])
  })
})
