import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/platform/store/database.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../gateway/gateway-under-test.ts'
import { type SeenEnds, loadOf } from './ledger-load.ts'

// Calls of every kind go through a gateway that is killed at random moments. Every answer whose end a client saw has to have
// exactly one line in the ledger, and so has every job that ended.

const LOOK_AGAIN_MS = 50

export type KillOptions = {
  kills: number
  /** The maximum time from the start of the load until the kill. */
  lifeMs: number
  clients: number
  databaseUrl?: string
  /** With several API processes, only one of them is killed each time, and the others go on. */
  workers?: number
}

type KillReport = {
  /** Answers whose end was seen. */
  answers: number
  jobs: number
  missing: string[]
  repeated: string[]
}

export async function killedLedger(options: KillOptions): Promise<KillReport> {
  await using closing = new AsyncDisposableStack()
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const env = environment(folder.path, options)
  const answered: SeenEnds = { calls: [], jobs: [] }
  let gateway: GatewayProcess | undefined
  closing.defer(() => void gateway?.child.kill('SIGKILL'))
  for (let kills = 0; kills < options.kills; kills++) {
    gateway = await ready(gateway, env)
    await liveAndDie(gateway, answered, options)
  }
  // The journal of a killed process is taken over at a start, or by a process that looks for it from time to time. Each API
  // process takes over some of them, and what it has not inserted when it is stopped stays on the disk for the next start.
  await gateway?.stop()
  gateway = await startProcess(env)
  while (journalsIn(folder.path) > 0) await sleep(LOOK_AGAIN_MS)
  await gateway.stop()
  const db = await openDatabase({ dataDir: folder.path, databaseUrl: options.databaseUrl })
  return await report(db, answered).finally(db.close)
}

function environment(dataDir: string, { databaseUrl, workers = 1 }: KillOptions) {
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const where = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
  return { ...keys, ...where, WORKERS: String(workers), LOG_LEVEL: 'info' }
}

async function ready(gateway: GatewayProcess | undefined, env: ReturnType<typeof environment>) {
  const isRunning = gateway && gateway.child.exitCode === null && gateway.child.signalCode === null
  return isRunning ? gateway : await startProcess(env)
}

async function liveAndDie(gateway: GatewayProcess, answered: SeenEnds, { clients, lifeMs, workers = 1 }: KillOptions) {
  const key = (await adminClient(gateway.adminUrl).issue({ kind: 'sandbox', owner: 'default' })).key
  const load = loadOf({ url: gateway.url, keys: [API_KEY, key], clients }, answered)
  // A kill before the first answer would show nothing.
  await load.begun
  await sleep(Math.random() * lifeMs)
  process.kill(workers > 1 ? await oneChildOf(gateway.child.pid!, workers) : gateway.child.pid!, 'SIGKILL')
  if (workers === 1) await gateway.ended
  await load.stop()
}

/** Waits until the process that was killed last has been replaced. */
async function oneChildOf(pid: number, workers: number): Promise<number> {
  for (;;) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    if (children.length === workers) return Number(children[Math.floor(Math.random() * workers)])
    await sleep(LOOK_AGAIN_MS)
  }
}

function journalsIn(dataDir: string): number {
  return readdirSync(join(dataDir, 'ledger')).filter((name) => name.endsWith('.jsonl')).length
}

async function report(db: Database, { calls, jobs }: SeenEnds): Promise<KillReport> {
  const rows = await db.query<{ id: string; lines: number }>('SELECT id, COUNT(*) AS lines FROM usage GROUP BY id')
  const lines = new Map(rows.map(({ id, lines }) => [id, Number(lines)]))
  const ended = await db.query<{ id: string }>('SELECT id FROM jobs WHERE finished_at IS NOT NULL')
  const expected = [...calls, ...jobs, ...ended.map(({ id }) => id)]
  return {
    answers: calls.length,
    jobs: jobs.length,
    missing: expected.filter((id) => !lines.has(id)),
    repeated: [...lines].filter(([, count]) => count > 1).map(([id]) => id),
  }
}
