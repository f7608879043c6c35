import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startMcpServer } from '../../fakes/mcp-server.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

const LOOK_AGAIN_MS = 10

test('a kill while a tool works loses neither the turn of the model nor the call of the tool', async (t) => {
  const closing = new AsyncDisposableStack()
  t.after(() => closing.disposeAsync())
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const [model, server] = [await startFakeProvider(), await startMcpServer('modern')]
  closing.defer(model.close)
  closing.defer(server.close)
  const config = join(folder.path, 'config.json')
  const models = [{ id: 'priced', price: { input: 1, output: 2 } }]
  const tickets = { url: server.url, pricePerCall: 0.01 }
  const providers = { fake: { dialect: 'openai', baseUrl: model.url, models } }
  await writeFile(config, JSON.stringify({ providers, mcp: { servers: { tickets } } }))
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  const env = { DATA_DIR: folder.path, GATEHOUSE_CONFIG: config, ALLOW_NETWORKS: '127.0.0.0/8', ...keys }
  model.always(toolCaller([{ calls: [['tickets__slow', {}]] }, { text: 'Done.' }]))
  const first = await startProcess(env)
  closing.defer(() => void first.child.kill('SIGKILL'))
  const asked = fetch(`${first.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'fake/priced',
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'mcp', server_label: 'tickets' }],
    }),
  }).catch(() => undefined)
  // The turn of the model and the call, if both are paid.
  while (!isNoted('0.01012', folder.path)) await setTimeout(LOOK_AGAIN_MS)
  first.child.kill('SIGKILL')
  await first.ended
  await asked
  const second = await startGateway({ env, dataDir: folder.path })
  closing.defer(second.close)
  const { ledger, db } = second.gateway.services.calls
  let lines: { code: string; cost_nanos: number | bigint }[] = []
  while (lines.length === 0) {
    await ledger.flush()
    lines = await db.query('SELECT code, cost_nanos FROM usage')
    await setTimeout(LOOK_AGAIN_MS)
  }
  assert.deepEqual(
    lines.map(({ code, cost_nanos }) => [code, Number(cost_nanos)]),
    [['interrupted', 120_000 + 10_000_000]],
  )
})

/** Whether the ledger would know this cost after a kill. */
function isNoted(text: string, folder: string): boolean {
  const ledger = join(folder, 'ledger')
  // The folder is made with its first file, and files are renamed.
  const files = existsSync(ledger) ? readdirSync(ledger).map((name) => join(ledger, name)) : []
  return files.some((file) => existsSync(file) && readFileSync(file, 'utf8').includes(text))
}
