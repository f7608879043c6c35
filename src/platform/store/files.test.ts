import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ownerNamed } from '../../../test/fakes/owners.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { insertFile, listFilesAfter, type NewFile } from './files.ts'

const QUOTA = 1_000_000

await onBothStores('files, page by page', ({ one: db }) => {
  test('files of one instant are in the order of their ids, and no file is listed twice or left out', async () => {
    const owner = randomUUID()
    const ids = Array.from({ length: 7 }, () => randomUUID()).toSorted()
    for (const id of ids) await insertFile(db, newFile({ id, owner, purpose: id === ids[0] ? 'other' : 'x' }), QUOTA)
    await insertFile(db, newFile({ id: randomUUID(), owner, origin: 'result' }), QUOTA)
    await insertFile(db, newFile({ id: randomUUID(), owner: randomUUID() }), QUOTA)
    await db.query('UPDATE files SET created_at = 5 WHERE owner = $1 AND id <> $2', [owner, ids[3]!])
    await db.query('UPDATE files SET created_at = 9 WHERE owner = $1 AND id = $2', [owner, ids[3]!])
    const oldestFirst = [...ids.slice(0, 3), ...ids.slice(4), ids[3]]
    assert.deepEqual(await all(owner, 'asc'), oldestFirst)
    assert.deepEqual(await all(owner, 'desc'), oldestFirst.toReversed())
    assert.deepEqual(await all(owner, 'asc', 'x'), oldestFirst.slice(1))
  })

  async function all(owner: string, order: 'asc' | 'desc', purpose?: string): Promise<string[]> {
    const found: string[] = []
    let page = await listFilesAfter(db, { owner, order, purpose, limit: 2 }, undefined)
    while (page.length > 0) {
      found.push(...page.map(({ id }) => id))
      page = await listFilesAfter(db, { owner, order, purpose, limit: 2 }, page.at(-1))
    }
    return found
  }
})

function newFile(parts: Partial<NewFile>): NewFile {
  const fixed = { name: 'a.txt', size: 1, type: 'text/plain', purpose: 'x', metadata: '{}' }
  return { id: '', ...ownerNamed(''), origin: 'upload', lifetimeMs: 1e12, ...fixed, ...parts }
}
