import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { HealthReply } from '../../../src/contract/health.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { closer } from '../../fakes/stores.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

test('a journal that cannot be written is in the log, the metrics and /health/ready, and no line is lost', async (t) => {
  const { path: dataDir, remove } = await temporaryFolder()
  closer(t).defer(remove)
  // A file where the folder should be: real, and the same for every user.
  await writeFile(join(dataDir, 'ledger'), '')
  const gateway = await startGateway({ dataDir })
  assert.deepEqual(await ready(gateway.url), { status: 'ready' })
  const ids = [await chat(gateway.url), await chat(gateway.url)]
  assert.equal((await ready(gateway.url)).ledger?.journal, 'failing')
  assert.match(gateway.logs(), /the journal of the ledger cannot be written/)
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  assert.match(metrics, /^gatehouse_ledger_journal_refused_rows_total\{[^}]*\} 2$/m)
  await rm(join(dataDir, 'ledger'))
  ids.push(await chat(gateway.url))
  assert.deepEqual(await ready(gateway.url), { status: 'ready' })
  await gateway.close()
  assert.deepEqual(await readdir(join(dataDir, 'ledger')), [])
  const db = await openDatabase({ dataDir })
  const lines = await db.query<{ id: string }>('SELECT id FROM usage').finally(db.close)
  assert.deepEqual(lines.map(({ id }) => id).sort(), ids.sort())
})

async function ready(url: string): Promise<HealthReply> {
  return (await (await fetch(`${url}/health/ready`)).json()) as HealthReply
}

async function chat(url: string): Promise<string> {
  const response = await fetch(`${url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] }),
  })
  await response.text()
  return response.headers.get('x-request-id')!
}
