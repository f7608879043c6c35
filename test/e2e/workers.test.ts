import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lineWith, startProcess, temporaryFolder } from './gateway-process.ts'

// WORKERS=2: two API processes on one port, and their primary process.

const KEY = 'workers-test-key'
const RETRY_MS = 200
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
  const victim = await somePid()
  process.kill(victim, 'SIGKILL')
  await lineWith(gateway.child, gateway.output, 'an API process died')
  for (let i = 0; i < 10; i++) assert.equal((await ask()).status, 200)
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

function askOnce(): Promise<Response> {
  return fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
}

/** The id of an API process: a child of the process that we started. */
async function somePid(): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (Number(stat.split(') ')[1]?.split(' ')[1]) === gateway.child.pid) return Number(pid)
  }
  throw new Error('the cluster has no workers')
}
