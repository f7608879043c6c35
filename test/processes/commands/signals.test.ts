import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigReport } from '../../../src/contract/admin/config.ts'
import { paced } from '../../fakes/paced.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { readStream } from '../../gateway/chat-client.ts'
import { type GatewayProcess, lineWith, PROGRAM, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'

const POLL_MS = 20
const ASK = { model: 'mine/small', messages: [{ role: 'user', content: 'x' }] }
const KEYS = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY }

// One gateway, which is told to reload and then to stop. The tests run in order.
describe('signals to a gateway with two workers', () => {
  let gateway: GatewayProcess
  let provider: FakeProvider
  let write: (content: object) => void
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    ;({ gateway, provider, write, folder } = await startWithFile())
  })
  after(async () => {
    gateway.child.kill('SIGKILL')
    await Promise.all([provider.close(), folder.remove()])
  })

  test('SIGHUP: all of them reload, or none; a worker that is started later has the same configuration', async () => {
    assert.deepEqual(await statuses(gateway.url), [404])
    write({ providers: { mine: { dialect: 'openai', baseUrl: provider.url } } })
    gateway.child.kill('SIGHUP')
    await lineWith(gateway.child, gateway.output, 'configuration reloaded')
    const admin = adminClient(gateway.adminUrl)
    await until(async () => (await admin.get<ConfigReport>('/admin/config')).body.differences.length === 0)
    assert.deepEqual(await statuses(gateway.url), [200])

    write({ providers: { mine: { dialect: 'latin', baseUrl: provider.url } } })
    gateway.child.kill('SIGHUP')
    const line = await lineWith(gateway.child, gateway.output, 'the configuration was rejected')
    assert.match(line, /providers\.mine\.dialect/)
    process.kill(workersOf(gateway.child)[0]!, 'SIGKILL')
    await lineWith(gateway.child, gateway.output, 'an API process died')
    await until(async () => (await admin.get<ConfigReport>('/admin/config')).body.processes.length === 3)
    assert.deepEqual((await admin.get<ConfigReport>('/admin/config')).body.differences, [])
    assert.deepEqual(await statuses(gateway.url), [200])
  })

  test('Ctrl-C reaches every process of a cluster, and the primary forwards it: streams still finish', async () => {
    const { promise: go, resolve: release } = Promise.withResolvers<void>()
    provider.always(paced(go))
    const response = await ask(gateway.url, { stream: true })
    const workers = workersOf(gateway.child)
    assert.equal(workers.length, 2)
    for (const worker of workers) process.kill(worker, 'SIGINT')
    await lineWith(gateway.child, gateway.output, '"draining"')
    gateway.child.kill('SIGINT')
    // Repeats what the primary does to the workers, so that it has surely happened before the stream goes on.
    for (const worker of workers) interrupt(worker)
    await fetch(`${gateway.adminUrl}/health/live`)
    release()
    const { done, errors } = readStream(await response.text())
    assert.deepEqual([done, errors], [1, []])
    assert.deepEqual(await gateway.ended, { code: 0, signal: null })
  })

  async function startWithFile() {
    const provider = await startFakeProvider()
    const folder = await temporaryFolder()
    const file = join(folder.path, 'gatehouse.config.json')
    const write = (content: object) => writeFileSync(file, JSON.stringify(content))
    write({})
    const env = { DATA_DIR: folder.data, GATEHOUSE_CONFIG: file, WORKERS: '2', DRAIN_DELAY_SECONDS: '600', ...KEYS }
    const gateway = await startProcess(env)
    return { gateway, provider, write, folder }
  }
})

describe('a gateway that gets little processor time', () => {
  test('answers slowly, and refuses nothing', async () => {
    const folder = await temporaryFolder()
    const gateway = await startProcess({ DATA_DIR: folder.data, ...KEYS })
    after(async () => {
      gateway.child.kill('SIGKILL')
      await folder.remove()
    })
    const statuses: number[] = []
    let isOver = false
    const clients = Array.from({ length: 3 }, async () => {
      while (!isOver) statuses.push((await ask(gateway.url, { model: 'sandbox/echo' })).status)
    })
    for (let turns = 0; turns < 8; turns++) {
      gateway.child.kill('SIGSTOP')
      await sleep(600)
      gateway.child.kill('SIGCONT')
      await sleep(100)
    }
    isOver = true
    await Promise.all(clients)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})

const canHaveTerminal = spawnSync('script', ['--version']).status === 0

describe('SIGHUP to a gateway in a terminal', { skip: !canHaveTerminal && 'there is no script(1) here' }, () => {
  test('reloads while the terminal is open, and stops it when the terminal is closed', async () => {
    const folder = await temporaryFolder()
    const log = join(folder.path, 'log')
    const terminal = openTerminal(`exec ${process.execPath} ${PROGRAM} serve > ${log} 2>&1`, {
      DATA_DIR: folder.data,
      PORT: '0',
      ADMIN_PORT: '0',
      DRAIN_DELAY_SECONDS: '600',
      ...KEYS,
      GATEHOUSE_CONFIG: join(import.meta.dirname, '..', '..', 'gateway', 'no-config.json'),
    })
    after(async () => {
      terminal.kill('SIGKILL')
      await folder.remove()
    })
    await until(() => logged(log, '"listening"'))
    const [gateway] = workersOf(terminal)
    process.kill(gateway!, 'SIGHUP')
    await until(() => logged(log, 'configuration reloaded'))
    const closed = once(terminal, 'exit')
    terminal.kill('SIGKILL')
    await closed
    await until(() => logged(log, '"stopped"'))
    assert.match(readFileSync(log, 'utf8'), /"reason":"SIGHUP"/)
  })

  function openTerminal(command: string, env: Record<string, string>): ChildProcess {
    const settings = { PATH: process.env.PATH, HOME: '/tmp', SHELL: '/bin/sh', ...env }
    return spawn('script', ['-qec', command, '/dev/null'], { env: settings, stdio: ['pipe', 'ignore', 'ignore'] })
  }
})

function logged(file: string, words: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(words)
  } catch {
    return false
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(POLL_MS)
}

/** The statuses that new connections get, which go to all workers. */
async function statuses(url: string): Promise<number[]> {
  const asked = Array.from({ length: 8 }, async () => (await ask(url)).status)
  return [...new Set(await Promise.all(asked))]
}

function ask(url: string, more: object = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', connection: 'close' }
  return fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body: JSON.stringify({ ...ASK, ...more }) })
}

/** The worker without the stream may have ended already. */
function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

function workersOf({ pid }: ChildProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}
