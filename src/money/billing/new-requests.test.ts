import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import type { Database } from '../../platform/store/database.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import { NewRequests } from './new-requests.ts'

const START = 1_800_000_000_000
const MOST = 200

await onBothStores('new lines of the request log', (store) => {
  test('a line that arrives late is found, and none is found twice', async () => {
    const { one: db } = store
    const news = new NewRequests({}, START)
    await insert(db, [START - 1, START + 50])
    assert.deepEqual(await read(db, news), [[START + 50], 0])
    await insert(db, [START + 20, START + 60])
    assert.deepEqual(await read(db, news), [[START + 20, START + 60], 0])
    assert.deepEqual(await read(db, news), [[], 0])
  })

  test('of more lines than one look reads come the newest, with the number of the others', async () => {
    const { one: db } = store
    const news = new NewRequests({ failed: false }, START)
    const moments = Array.from({ length: MOST + 30 }, (_, at) => START + at)
    await insert(db, moments)
    assert.deepEqual(await read(db, news), [moments.slice(30), 30])
    assert.deepEqual(await read(db, news), [[], 0])
  })
})

function insert(db: Database, moments: number[]) {
  return insertUsage(
    db,
    moments.map((at) => ledgerLine({ id: `line-${at}`, at })),
  )
}

async function read(db: Database, news: NewRequests): Promise<[number[], number]> {
  const { lines, dropped } = await news.read({ db, now: () => START + 1_000 })
  return [lines.map(({ at }) => Date.parse(at)), dropped]
}
