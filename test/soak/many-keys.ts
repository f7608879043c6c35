import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, digestOf } from '../../src/tenants/access/api-keys.ts'
import { KeyCache } from '../../src/tenants/access/key-cache.ts'
import { migrate } from '../../src/platform/store/migrations.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { ADMIN_KEY } from '../gateway/gateway-under-test.ts'
import { collectGarbage } from '../fakes/collect-garbage.ts'
import { importKeys, newKey } from '../fakes/new-key.ts'

// What 100,000 keys cost: the latency of chats before, during and after they are imported, and the memory of those that are
// in use. `node test/soak/many-keys.ts` measures only this.

const KEYS = 100_000
const KEYS_PER_TRANSACTION = 5_000
const CLIENTS = 4
const PAUSE_MS = 10
/** Some intervals in which a gateway looks for changes of keys. */
const MEASURED_MS = 10_000
const MAX_MEMORY_MB = 60
/** On an idle machine, p99 grew from 8 to 156 ms when every refresh read all keys. A busy machine is unsteady. */
const MAX_GROWTH = { factor: 3, ms: 15 }

type Latency = { p50: number; p99: number; requests: number }
type ImportReport = { before: Latency; during: Latency; after: Latency; isWithin: boolean }

export async function chatsDuringImport(databaseUrl?: string): Promise<ImportReport> {
  await using closing = new AsyncDisposableStack()
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const env = {
    DATA_DIR: folder.data,
    GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const gateway = await startProcess(env)
  closing.defer(async () => void (await gateway.stop()))
  const { key } = await adminClient(gateway.adminUrl).issue()
  await latencyWhile(gateway.url, key, () => sleep(MEASURED_MS / 2))
  const before = await latencyWhile(gateway.url, key, () => sleep(MEASURED_MS))
  const during = await latencyWhile(gateway.url, key, () => importAll(folder.data, databaseUrl))
  const after = await latencyWhile(gateway.url, key, () => sleep(MEASURED_MS))
  const isWithin = after.p99 <= before.p99 * MAX_GROWTH.factor + MAX_GROWTH.ms
  return { before, during, after, isWithin }
}

/** In one process, because the keys of another would have to be counted through its whole heap. */
export async function memoryOfKeys(): Promise<{ keys: number; megabytes: number; isWithin: boolean }> {
  await using closing = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-keys-'))
  closing.defer(() => rm(dataDir, { recursive: true }))
  const db = await openDatabase({ dataDir })
  closing.defer(db.close)
  await migrate(db)
  const before = await heapMegabytes()
  const keyCache = new KeyCache({ db, now: Date.now, monotonic: () => performance.now() })
  await keyCache.open()
  closing.defer(() => keyCache.close())
  for (let count = 0; count < KEYS; count += KEYS_PER_TRANSACTION) await useSome(keyCache)
  const megabytes = Math.round((await heapMegabytes()) - before)
  return { keys: keyCache.size, megabytes, isWithin: keyCache.size === KEYS && megabytes <= MAX_MEMORY_MB }

  async function useSome(keyCache: KeyCache): Promise<void> {
    const keys = Array.from({ length: KEYS_PER_TRANSACTION }, () => createKey('live'))
    const scopes = ['chat', 'model:openai/*']
    await importKeys(
      db,
      keys.map((key, at) => newKey({ digest: digestOf(key), ownerId: `owner ${at}`, scopes })),
    )
    for (const key of keys) await keyCache.find(key)
    await keyCache.refresh()
  }
}

async function heapMegabytes(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

async function importAll(dataDir: string, databaseUrl: string | undefined): Promise<void> {
  const db = await openDatabase({ dataDir, databaseUrl })
  for (let count = 0; count < KEYS; count += KEYS_PER_TRANSACTION) {
    await importKeys(
      db,
      Array.from({ length: KEYS_PER_TRANSACTION }, () => newKey()),
    )
  }
  await db.close()
}

async function latencyWhile(url: string, key: string, work: () => Promise<void>): Promise<Latency> {
  const times: number[] = []
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      const startedAt = performance.now()
      await chat(url, key)
      times.push(performance.now() - startedAt)
      await sleep(PAUSE_MS)
    }
  })
  await work()
  isOver = true
  await Promise.all(clients)
  times.sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]! * 10) / 10
  return { p50: at(0.5), p99: at(0.99), requests: times.length }
}

async function chat(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] })
  const response = await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`a chat was answered with ${response.status}`)
  await response.arrayBuffer()
}

if (import.meta.main) {
  console.log('memory', await memoryOfKeys())
  console.log('SQLite', await chatsDuringImport())
}
