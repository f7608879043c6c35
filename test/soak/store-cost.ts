import { readFileSync } from 'node:fs'
import type { Database } from '../../src/platform/store/database.ts'

// What work costs, in CPU time and bytes of the write-ahead log: on a busy machine, these say more than the time that passes.

export type Cost = {
  /** Of this process, with its threads: on SQLite, that includes the database. */
  processCpuMs: number
  /** Of all processes of the PostgreSQL server. */
  serverCpuMs: number
  walBytes: number
  ms: number
}

/** The kernel counts in these units. */
const TICK_MS = 10

export async function costOf(db: Database, work: () => Promise<unknown>): Promise<Cost> {
  const server = db.kind === 'postgres' ? await serverPid(db) : undefined
  const before = await read()
  await work()
  const after = await read()
  return {
    processCpuMs: after.processCpuMs - before.processCpuMs,
    serverCpuMs: after.serverCpuMs - before.serverCpuMs,
    walBytes: after.walBytes - before.walBytes,
    ms: after.ms - before.ms,
  }

  async function read(): Promise<Cost> {
    const { user, system } = process.cpuUsage()
    const serverCpuMs = server === undefined ? 0 : cpuOfServer(server)
    return {
      processCpuMs: (user + system) / 1_000,
      serverCpuMs,
      walBytes: await walPosition(db),
      ms: performance.now(),
    }
  }
}

async function walPosition(db: Database): Promise<number> {
  if (db.kind === 'sqlite') return 0
  const rows = await db.query<{ bytes: number }>("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes")
  return rows[0]!.bytes
}

/** The process that has started the processes of all connections. */
async function serverPid(db: Database): Promise<number> {
  const [row] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return statOf(row!.pid).parent
}

/** Of processes that have ended too: the kernel adds their time to that of their parent. */
function cpuOfServer(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  const own = statOf(pid)
  return children.reduce((sum, child) => sum + statOf(child).cpuMs, own.cpuMs + own.endedCpuMs)
}

function statOf(pid: number): { parent: number; cpuMs: number; endedCpuMs: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
    const [, parent] = fields
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15)
    return { parent: parent!, cpuMs: (user! + system!) * TICK_MS, endedCpuMs: (endedUser! + endedSystem!) * TICK_MS }
  } catch {
    // It has ended in this moment.
    return { parent: 0, cpuMs: 0, endedCpuMs: 0 }
  }
}
