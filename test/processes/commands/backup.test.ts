import assert from 'node:assert/strict'
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { run } from '../../../src/cli/cli.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { gatehouse, NO_CONFIG, runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

const folder = await temporaryFolder()
after(() => folder.remove())
const dataDir = join(folder.path, 'source')
const file = join(folder.path, 'copy.db')

describe('gatehouse backup', () => {
  test('copies the database of a running gateway; restored into an empty folder, the same keys work', async () => {
    const gateway = await startGateway({ dataDir })
    const { key } = await adminClient(gateway.adminUrl).issue({ name: 'kept', owner: 'team' })
    assert.equal(await ask(gateway.url, key), 200)
    const { code, stdout, stderr } = await backUp(file)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /copy\.db: \d+\.\d MB, schema \d+\n$/)
    for (const name of ['encryption-key', 'ledger']) assert.ok(stderr.includes(join(dataDir, name)), stderr)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const { key: later } = await adminClient(gateway.adminUrl).issue({ name: 'later' })
    await gateway.close()

    const restored = await startRestored()
    assert.deepEqual([await ask(restored.url, key), await ask(restored.url, later)], [200, 401])
    const { body } = await adminClient(restored.adminUrl).get<{ items: { name: string }[] }>('/admin/keys')
    assert.deepEqual(body.items.map(({ name }) => name).sort(), ['kept'])
    await restored.close()
  })

  test('shows a person how much is copied, and a program nothing', async () => {
    const shown = async (isTTY: boolean) => {
      const pieces: string[] = []
      const screen = { isTTY, write: (piece: string) => pieces.push(piece) }
      const environment = { DATA_DIR: dataDir, GATEHOUSE_CONFIG: NO_CONFIG }
      const outputs = { print() {}, remark() {} }
      await run(['backup', join(folder.path, `shown-${isTTY}.db`)], { environment, screen, ...outputs })
      return pieces.join('')
    }
    assert.match(await shown(true), /Copying the database: \[\.{20}\] 0% \(0\.0 MB of \d+\.\d MB\)/)
    assert.equal(await shown(false), '')
  })

  test('is consistent while others write', async () => {
    const db = await openDatabase({ dataDir })
    await db.query('CREATE TABLE pairs (side TEXT, number BIGINT)')
    let isOver = false
    const writing = writePairs()
    const copies = [join(folder.path, 'busy.db')]
    for (const copy of copies) assert.equal((await gatehouse(['backup', copy], { DATA_DIR: dataDir })).code, 0)
    isOver = true
    assert.ok((await writing) > copies.length)
    await db.close()
    for (const copy of copies) assert.deepEqual(await lonelyIn(copy), [])

    async function writePairs(): Promise<number> {
      let number = 0
      for (; !isOver; number++) {
        const sql = 'INSERT INTO pairs (side, number) VALUES ($1, $2)'
        await db.transaction(['left', 'right'].map((side) => ({ sql, values: [side, number] })))
      }
      return number
    }
  })

  test('replaces nothing, leaves nothing half done, and says what is wrong', async () => {
    const mine = join(folder.path, 'mine.txt')
    await writeFile(mine, 'precious')
    const before = await readdir(folder.path)
    assertSentence(await backUp(mine), /mine\.txt exists already/)
    assertSentence(await backUp(join(folder.path, 'nowhere', 'x.db')), /nowhere does not exist/)
    assertSentence(await runHere(['backup', mine], { DATA_DIR: join(folder.path, 'empty') }), /There is no database/)
    assertSentence(await runHere(['backup'], { DATA_DIR: dataDir }), /"gatehouse backup" needs FILE/)
    const postgres = { DATA_DIR: dataDir, DATABASE_URL: 'postgres://u:canary@127.0.0.1:1/x' }
    assertSentence(await runHere(['backup', mine], postgres), /pg_dump/)
    assert.deepEqual(await readdir(folder.path), before)
    assert.equal((await stat(mine)).size, 'precious'.length)
  })

  test('a database from the future is refused in one sentence that says how to roll back', async () => {
    const db = await openDatabase({ dataDir })
    await db.query('INSERT INTO schema_migrations (number, applied_at) VALUES (999, 0)')
    await db.close()
    const { code, stderr, stdout } = await gatehouse(['serve'], { DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0' })
    assertSentence(
      { code, stderr: stderr || stdout },
      /schema 999.*roll back by stopping all processes and restoring the backup/,
    )
    assertSentence(await runHere(['keys', 'list'], { DATA_DIR: dataDir }), /schema 999/)
  })
})

function backUp(target: string) {
  return runHere(['backup', target], { DATA_DIR: dataDir })
}

/** As docs/operating.md says: the copy gets the name of the database in an empty folder. */
async function startRestored() {
  const restored = join(folder.path, 'restored')
  await mkdir(restored, { mode: 0o700 })
  await copyFile(file, join(restored, 'gatehouse.db'))
  await copyFile(join(dataDir, 'encryption-key'), join(restored, 'encryption-key'))
  return await startGateway({ dataDir: restored })
}

/** Numbers that have only one side: their transaction was copied in part. */
async function lonelyIn(copy: string): Promise<unknown[]> {
  const place = join(folder.path, `opened-${copy.split('/').at(-1)}`)
  await mkdir(place)
  await copyFile(copy, join(place, 'gatehouse.db'))
  const db = await openDatabase({ dataDir: place })
  const rows = await db.query('SELECT number FROM pairs GROUP BY number HAVING COUNT(*) <> 2')
  await db.close()
  return rows
}

function assertSentence({ code, stderr }: { code: number | null; stderr: string }, words: RegExp): void {
  assert.equal(code, 1)
  assert.match(stderr, words)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
  assert.doesNotMatch(stderr, /\bat .*:\d+:\d+|canary/)
}

async function ask(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] })
  return (await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })).status
}
