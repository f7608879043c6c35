import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lineWith, startProcess, temporaryFolder } from './gateway-process.ts'

// WORKERS=2: two API processes on one port, and their primary process.

const KEY = 'workers-test-key'
const RETRY_MS = 200
const ANSWER_MS = 2_000
const folder = await temporaryFolder()
const gateway = await startProcess({
  DATA_DIR: folder.data,
  WORKERS: '2',
  GATEHOUSE_API_KEY: KEY,
  GATEHOUSE_ADMIN_KEY: 'workers-admin',
})
after(async () => {
  await gateway.stop()
  await folder.remove()
})

test('requests are answered, and /metrics adds up what the processes counted', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  assert.match(metrics, /gatehouse_requests_total\{endpoint="POST \/v3\/chat\/completions",status="200"\} 20\n/)
})

test('the API port has no admin routes, the admin port no API', async () => {
  assert.equal((await fetch(`${gateway.url}/metrics`)).status, 404)
  assert.equal(
    (await fetch(`${gateway.adminUrl}/v3/models`, { headers: { authorization: `Bearer ${KEY}` } })).status,
    404,
  )
})

test('a process that is killed is replaced, and the port stays open meanwhile', async () => {
  const [victim] = await pids()
  process.kill(victim!, 'SIGKILL')
  await lineWith(gateway.child, gateway.output, 'an API process died')
  for (let i = 0; i < 10; i++) assert.equal((await ask()).status, 200)
})

test('if all of them are killed at once, their successors listen on the same port, although PORT is 0', async () => {
  for (const victim of await pids()) process.kill(victim, 'SIGKILL')
  for (;;) {
    const response = await ask(ANSWER_MS).catch(() => undefined)
    if (response?.status === 200) return
    await sleep(RETRY_MS)
  }
})

test('SIGTERM ends all of them with code 0', async () => {
  assert.deepEqual(await gateway.stop(), { code: 0, signal: null })
})

/** A gateway on a busy machine may ask to come back: then this does. */
async function ask(limitMs?: number): Promise<Response> {
  for (;;) {
    const response = await askOnce(limitMs)
    if (response.status !== 503) return response
    await sleep(RETRY_MS)
  }
}

function askOnce(limitMs?: number): Promise<Response> {
  return fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', connection: 'close' },
    // A connection that a process had taken when it was killed may never be answered.
    ...(limitMs && { signal: AbortSignal.timeout(limitMs) }),
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
}

/** The ids of the API processes: the children of the process that we started. */
async function pids(): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  const children = all.filter((_, index) => Number(stats[index]!.split(') ')[1]?.split(' ')[1]) === gateway.child.pid)
  assert.ok(children.length > 0, 'the cluster has no workers')
  return children.map(Number)
}
