import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { failure } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { sharedPrivateKey } from '../../fakes/signing-key.ts'
import { sample } from '../../soak/sample.ts'
import { countersOf, killedWorkers, workerPids } from '../../soak/killed-workers.ts'
import { gatehouse, lineWith, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'

// WORKERS=2: two API processes on one port, and their primary process.

const KEY = 'workers-test-key'
const RETRY_MS = 200
/** `npm run soak` also kills many more. */
const KILLS = sample(1, 2)
const ANSWER_MS = 2_000
const ADMIN = { headers: { authorization: 'Bearer workers-admin' } }
const folder = await temporaryFolder()
/** A process without this file dies at its start. */
const KEY_FILE = join(folder.path, 'own-key.pem')
await writeFile(KEY_FILE, sharedPrivateKey().export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
const provider = await startFakeProvider()
const gateway = await startProcess({
  DATA_DIR: folder.data,
  WORKERS: '2',
  OPENAI_API_KEY: 'sk-x',
  OPENAI_BASE_URL: provider.url,
  WEBHOOK_PRIVATE_KEY_FILE: KEY_FILE,
  GATEHOUSE_API_KEY: KEY,
  GATEHOUSE_ADMIN_KEY: 'workers-admin',
})
after(async () => {
  await gateway.stop()
  await provider.close()
  await folder.remove()
})

test('requests are answered, and /metrics adds up what the processes counted', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  const { process: name } = (await (await fetch(`${gateway.adminUrl}/admin/targets`, ADMIN)).json()) as {
    process: string
  }
  assert.ok(
    metrics.includes(
      `gatehouse_requests_total{endpoint="POST /v3/chat/completions",status="200",process="${name}"} 20\n`,
    ),
  )
  assert.ok(metrics.includes(`gatehouse_in_flight{process="${name}"} `))
  // The store is one, however many processes ask it.
  assert.ok(metrics.includes(`gatehouse_store_reachable{process="${name}"} 1\n`))
  assert.equal(metrics.match(/^# TYPE gatehouse_jobs gauge$/gm)?.length, 1)
})

test('/admin/targets names the answering process and the others', async () => {
  const other = await until(async () => {
    const answer = (await (await fetch(`${gateway.adminUrl}/admin/targets`, ADMIN)).json()) as Targets
    return answer.other_processes.length === 2 && answer
  })
  const names = [other.process, ...other.other_processes.map(({ process }) => process)]
  assert.deepEqual(
    names.map((name) => Number(name.split('-').at(-2))).toSorted(),
    [gateway.child.pid, ...workerPids(gateway)].toSorted(),
  )
})

test('a circuit that one process has opened is known to the others', async () => {
  provider.always(failure(500))
  const { circuits } = await until(async () => {
    await askOnce('openai/gpt-4o').then((response) => response.body?.cancel())
    const answer = (await (await fetch(`${gateway.adminUrl}/admin/targets`, ADMIN)).json()) as Targets
    return answer.circuits.length > 0 && answer
  })
  assert.deepEqual([circuits[0]!.model, circuits[0]!.open_owners], ['openai/gpt-4o', 1])
  assert.ok(workerPids(gateway).includes(Number(circuits[0]!.process.split('-').at(-2))))
})

test('the API port has no admin routes, the admin port no API', async () => {
  assert.equal((await fetch(`${gateway.url}/metrics`)).status, 404)
  assert.equal(
    (await fetch(`${gateway.adminUrl}/v3/models`, { headers: { authorization: `Bearer ${KEY}` } })).status,
    404,
  )
})

test('processes are killed under load: nothing hangs, each is replaced, and no counter decreases', async () => {
  const { answers, hung, replacedMs, decreased } = await killedWorkers({
    gateway,
    key: KEY,
    clients: 24,
    kills: KILLS,
    lifeMs: 0,
    pauseMs: 250,
  })
  assert.deepEqual({ hung, decreased, replaced: replacedMs.length }, { hung: 0, decreased: [], replaced: KILLS })
  assert.ok(answers >= 24)
  const counted = await countersOf(gateway)
  assert.ok([...counted].some(([name, count]) => name.startsWith('gatehouse_requests_total') && count >= 20))
})

test('a process that dies again and again is restarted after a pause that grows', async () => {
  await rename(KEY_FILE, `${KEY_FILE}.gone`)
  const before = gateway.output().length
  process.kill(workerPids(gateway)[0]!, 'SIGKILL')
  const since = () => gateway.output().slice(before)
  await lineWith(gateway.child, since, '"restart_in_ms":2000')
  await rename(`${KEY_FILE}.gone`, KEY_FILE)
  await lineWith(gateway.child, since, 'an API process was replaced')
  assert.match(since(), /"restart_in_ms":1000,.*does not exist/s)
})

test('a second gateway on the same port is told so, and does not share it', async () => {
  const { port } = new URL(gateway.url)
  const env = { DATA_DIR: folder.data, WORKERS: '2', PORT: port, ADMIN_PORT: '0', GATEHOUSE_API_KEY: KEY }
  const { code, stderr } = await gatehouse(['serve'], env)
  assert.deepEqual([code, /^gatehouse: Port \d+ is in use by another program/.test(stderr)], [1, true], stderr)
})

test('if all of them are killed at once, their successors listen on the same port, although PORT is 0', async () => {
  for (const victim of workerPids(gateway)) process.kill(victim, 'SIGKILL')
  // A busy machine may need longer for an answer.
  for (let tries = 1; ; tries++) {
    const response = await askOnce('sandbox/echo', tries * ANSWER_MS).catch(() => undefined)
    if (response?.status === 200) return
    await sleep(RETRY_MS)
  }
})

test('SIGTERM ends all of them with code 0', async () => {
  assert.deepEqual(await gateway.stop(), { code: 0, signal: null })
})

/** A gateway on a busy machine may ask to come back: then this does. */
async function ask(): Promise<Response> {
  for (;;) {
    const response = await askOnce()
    if (response.status !== 503) return response
    await sleep(RETRY_MS)
  }
}

function askOnce(model = 'sandbox/echo', limitMs?: number): Promise<Response> {
  return fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', connection: 'close' },
    ...(limitMs && { signal: AbortSignal.timeout(limitMs) }),
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
}

type Targets = {
  process: string
  other_processes: { process: string }[]
  circuits: { model: string; process: string; open_owners: number }[]
}

async function until<Result>(look: () => Promise<Result | false>): Promise<Result> {
  for (;;) {
    const found = await look()
    if (found !== false) return found
    await sleep(RETRY_MS)
  }
}
