import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { answer } from '../fakes/behaviours.ts'
import { startFakeProvider } from '../fakes/provider.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { runHere, startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../gateway/gateway-under-test.ts'

type Shown = { spent: number; reserved: number; left: number; lost: number }

const CAP = 0.05
/** What each call may cost, and what it does cost: 1,000 tokens to write, of which 100 are used. */
const CALL = { model: 'fake/priced', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1_000 }
const USAGE = { prompt_tokens: 0, completion_tokens: 100, total_tokens: 100 }
const COST = 0.0002

test('kill -9 makes a budget smaller by a lease, never larger; the lease is seen, and can be released', async () => {
  await using closing = new AsyncDisposableStack()
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const fake = await startFakeProvider({ everyPath: true })
  closing.defer(fake.close)
  fake.always(answer({ usage: USAGE }))
  const env = { ...(await configIn(folder.path, fake.url)), GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  const killed = await startProcess({ ...env, DATA_DIR: folder.data })
  closing.defer(() => void killed.child.kill('SIGKILL'))
  for (let count = 0; count < 5; count++) assert.equal(await chat(killed.url), 200)
  killed.child.kill('SIGKILL')
  await killed.ended

  const gateway = await startGateway({ env, dataDir: folder.data })
  closing.defer(gateway.close)
  const { db, ledger } = gateway.gateway.services.calls
  const admin = adminClient(gateway.adminUrl)
  const budget = async () => {
    await ledger.flush()
    return (await admin.get<Shown>('/admin/budgets/crash')).body
  }
  const granted = await leasesOf()
  assert.ok(granted > 0 && granted <= CAP / 2, `one lease is at most half of what is left: ${granted}`)
  // A minute later the dead process has not renewed the lease.
  await db.query('UPDATE limit_leases SET expires_at = 0')
  const lost = await budget()
  // What the killed process had spent of its lease may have been settled from its journal in the meantime.
  const held = lost.lost
  assert.ok(held <= granted && held >= granted - 5 * COST - 1e-9 && lost.reserved === held, JSON.stringify(lost))
  const answered = await spendAll(gateway.url)
  const spentAll = await budget()
  assert.ok(Math.abs(spentAll.spent - (answered + 5) * COST) < 1e-9, 'every call is settled, also those of the dead')
  assert.ok(spentAll.spent + held <= CAP && spentAll.spent + held > CAP - 0.0025, 'all is used but the lease')
  const { body } = await admin.post<{ released: number }>('/admin/budgets/crash/release', {})
  assert.equal(body.released, held)
  assert.ok((await spendAll(gateway.url)) > 0, 'what was released can be spent at once')
  const end = await budget()
  assert.ok(end.spent <= CAP && end.spent > CAP - 0.0025 && end.lost === 0, JSON.stringify(end))
  const { code, stdout } = await runHere(['ledger', 'verify'], { ...env, DATA_DIR: folder.data })
  assert.equal(code, 0, stdout)

  async function leasesOf(): Promise<number> {
    const [row] = await db.query<{ held: number }>('SELECT SUM(granted) AS held FROM limit_leases')
    return Number(row!.held) / 1e9
  }

  /** Calls until two in a row are refused: the second of them has seen what the first gave back. */
  async function spendAll(url: string): Promise<number> {
    let answered = 0
    for (let refused = 0; refused < 2; ) {
      const status = await chat(url)
      if (status === 200) answered++
      else assert.equal(status, 402)
      refused = status === 200 ? 0 : refused + 1
      if (refused === 1) await ledger.flush()
    }
    return answered
  }
})

async function configIn(folder: string, url: string): Promise<{ GATEHOUSE_CONFIG: string; FAKE_API_KEY: string }> {
  const file = join(folder, 'gatehouse.config.json')
  const models = [{ id: 'priced', price: { input: 1, output: 2 }, output: 100_000 }]
  const fake = { dialect: 'openai', baseUrl: url, auth: { scheme: 'bearer', env: 'FAKE_API_KEY' }, models }
  const budgets = [{ id: 'crash', appliesTo: 'all', limit: CAP, window: 'total', onExceeded: 'refuse' }]
  await writeFile(file, JSON.stringify({ providers: { fake }, budgets }))
  return { GATEHOUSE_CONFIG: file, FAKE_API_KEY: 'plain.words.as.a.key' }
}

async function chat(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body: JSON.stringify(CALL) })
  await response.arrayBuffer()
  return response.status
}
