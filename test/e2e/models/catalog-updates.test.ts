import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { shippedAt } from '../../../src/platform/catalog/catalog.ts'
import type { ModelObject } from '../../../src/contract/models.ts'
import { answer } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

// A catalog that is newer than the program: signed, stored, and used by two processes that were running before.

const LOOK_MS = 50
const MODEL = 'openai/gpt-next'
const folder = await temporaryFolder()
const at = (name: string) => join(folder.path, name)
const provider = await startFakeProvider()
provider.always(answer())
const created = await runHere(['catalog', 'key', at('key.pem')], {})
const CATALOG_PUBLIC_KEY = created.stdout.trim().replace('CATALOG_PUBLIC_KEY=', '')
writeFileSync(at('config.json'), JSON.stringify({ prices: { 'openai/gpt-own': { input: 10, output: 20 } } }))
const env = {
  DATA_DIR: at('data'),
  GATEHOUSE_CONFIG: at('config.json'),
  CATALOG_PUBLIC_KEY,
  OPENAI_API_KEY: 'x',
  OPENAI_BASE_URL: provider.url,
}
const one = await startGateway({ env, dataDir: at('data'), overrides: { lookMs: LOOK_MS } })
const two = await startGateway({ env, dataDir: at('data'), overrides: { lookMs: LOOK_MS } })
after(async () => {
  await one.close()
  await two.close()
  await Promise.all([provider.close(), folder.remove()])
})

test('a key for catalogs is readable for its owner only, and no file is replaced', async () => {
  assert.equal(statSync(at('key.pem')).mode & 0o777, 0o600)
  const again = await runHere(['catalog', 'key', at('key.pem')], {})
  assert.equal(again.code, 1)
})

test('running processes take over a newer catalog; older ones, the same and foreign ones are refused', async () => {
  assert.equal((await askTwo()).completion.cost, null)
  const { stdout, code } = await update(await signed(2, { price: { input: 1, output: 2 } }))
  assert.equal(code, 0)
  assert.equal(
    stdout,
    `The catalog of ${dateOf(2)} with the models of 1 providers is in use. Running processes take it over within seconds.\n`,
  )
  // Each process looks by itself, and either may be the first.
  for (const request of [() => ask(one.url), askTwo])
    await until(async () => (await request()).completion.cost !== null)
  const [first, second] = [await ask(one.url), await askTwo()]
  assert.ok(first.completion.cost! > 0 && first.completion.cost === second.completion.cost)
  const older = await update(await signed(1, { price: { input: 9, output: 9 } }))
  assert.match(`${older.code} ${older.stdout}`, /^1 The catalog of .* is refused/)
  const other = await update(await signed(2, { price: { input: 9, output: 9 } }))
  assert.equal(other.code, 1)
  const foreign = await update(await signed(3, {}, await otherKey()))
  assert.match(`${foreign.code} ${foreign.stderr}`, /^1 gatehouse: the signature of the catalog is not by the key/)
  assert.equal((await askTwo()).completion.cost, first.completion.cost)
})

test('a model that its provider will end is announced by a header, a note and the list of models', async () => {
  await update(await signed(4, { retires_at: '2027-06-30', replaced_by: 'gpt-after' }))
  await until(async () => (await askTwo()).headers.has('sunset'))
  const { headers, completion } = await askTwo({ 'x-gatehouse-metadata': 'enabled' })
  assert.equal(headers.get('sunset'), 'Wed, 30 Jun 2027 00:00:00 GMT')
  const reason = 'the provider retires this model on 2027-06-30; its provider recommends gpt-after instead'
  assert.deepEqual((completion.gatehouse as { notes: unknown[] }).notes, [
    { field: 'model', action: 'retires', reason },
  ])
  const streamed = await chatClient(two.url).stream({ ...HELLO, model: MODEL })
  assert.equal(streamed.headers.get('sunset'), 'Wed, 30 Jun 2027 00:00:00 GMT')
  const listed = await fetch(`${two.url}/v3/models/${MODEL}`, { headers: { authorization: `Bearer ${API_KEY}` } })
  const { retires_at, replaced_by } = (await listed.json()) as ModelObject
  assert.deepEqual([retires_at, replaced_by], ['2027-06-30', 'gpt-after'])
  const others = await chatClient(two.url).whole({ ...HELLO, model: 'openai/gpt-own' })
  assert.equal(others.headers.get('sunset'), null)
})

test('prices of the config file win, also for a model that no catalog has', async () => {
  const { completion } = await chatClient(one.url).whole({ ...HELLO, model: 'openai/gpt-own' })
  const { prompt_tokens, completion_tokens } = completion.usage!
  assert.equal(completion.cost, (prompt_tokens * 10 + completion_tokens * 20) / 1e6)
})

test('operators see which catalog each process uses, and a new process has it from the start', async () => {
  const { text } = await adminClient(one.adminUrl).get('/admin/config')
  assert.match(text, new RegExp(`"store\\.catalog","value":"${dateOf(4)} [0-9a-f]{64}"`))
  const three = await startGateway({ env, dataDir: at('data') })
  const { headers } = await ask(three.url)
  await three.close()
  assert.ok(headers.has('sunset'))
  const keyless = await startGateway({ env: { ...env, CATALOG_PUBLIC_KEY: '' }, dataDir: at('data') })
  const { completion } = await ask(keyless.url)
  const logs = keyless.logs()
  await keyless.close()
  assert.equal(completion.cost, null)
  assert.match(logs, /the catalog in the store is not used/)
})

test('CATALOG_URL is read in the background, also through a redirect; a start without it is not delayed', async () => {
  const document = readFileSync(await signed(5, { price: { input: 5, output: 5 } }))
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    if (request.url === '/latest') response.writeHead(302, { location: '/catalog.json' }).end()
    else response.end(document)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const lost = await startGateway({ env: { ...env, CATALOG_URL: 'http://127.0.0.1:1/' }, dataDir: at('data') })
  assert.equal((await ask(lost.url)).status, 200)
  await until(() => lost.logs().includes('the catalog of CATALOG_URL cannot be used'))
  await lost.close()
  const online = await startGateway({ env: { ...env, CATALOG_URL: `${origin}/latest` }, dataDir: at('data') })
  await until(async () => ((await ask(online.url)).completion.cost ?? 0) > 0)
  await until(async () => ((await askTwo()).completion.cost ?? 0) > 0)
  assert.equal(asked, 2)
  const { body } = await adminClient(online.adminUrl).get<{ items: Record<string, unknown>[] }>(
    '/admin/audit?action=catalog.update',
  )
  const rows = body.items.map(({ actor, via, after }) => [actor, via, (after as { dated_at: string }).dated_at])
  assert.deepEqual(rows[0], ['gateway', 'background', dateOf(5)])
  assert.deepEqual(new Set(rows.slice(1).map(([actor]) => actor)), new Set(['cli']), 'others were stored by hand')
  await online.close()
  const here = await runHere(['catalog', 'update', `${origin}/latest`], env)
  assert.match(here.stdout, /is in use already/)
  await new Promise((resolve) => server.close(resolve))
})

async function ask(url: string, headers: Record<string, string> = {}) {
  return await chatClient(url).whole({ ...HELLO, model: MODEL }, { headers })
}

function askTwo(headers: Record<string, string> = {}) {
  return ask(two.url, headers)
}

function update(file: string) {
  return runHere(['catalog', 'update', file], env)
}

let documents = 0

/** So many seconds after the catalog of the package. */
function dateOf(seconds: number): string {
  return new Date(shippedAt() + seconds * 1_000).toISOString()
}

/** Signs a catalog with one model, and returns the file. */
async function signed(age: number, model: object, key = at('key.pem')): Promise<string> {
  const source = at(`catalog-${++documents}`)
  mkdirSync(source)
  const row = { id: 'gpt-next', type: 'chat', context: null, output: null, price: null, can: [], ...model }
  const file = { source: 'a test', checked: '2026-11-15', added: '2026-11-15', models: [row] }
  writeFileSync(join(source, 'openai.json'), JSON.stringify(file))
  const out = `${source}.json`
  const options = ['--key', key, '--out', out, '--dated', dateOf(age)]
  const { code, stderr } = await runHere(['catalog', 'sign', source, ...options], {})
  assert.equal(code, 0, stderr)
  return out
}

async function otherKey(): Promise<string> {
  await runHere(['catalog', 'key', at('other.pem')], {})
  return at('other.pem')
}

/** The runner's own limit ends a test that waits in vain. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(LOOK_MS)
}
