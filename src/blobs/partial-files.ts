import { randomUUID } from 'node:crypto'
import { readdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

// A file is written under a name that tells who writes it, and gets its own name when it is complete. What a process
// that died has left is found by that name. Processes that live, here or on a machine with the same disk, are spared.

/** A writer touches its file all the time; one that did not for so long is gone, wherever it ran. */
const ABANDONED_AFTER_MS = 60 * 60_000

const HOST = Buffer.from(hostname()).toString('hex').slice(0, 64) || '00'
const NAME = /^([0-9a-f]+)\.(\d{1,10})\.[0-9a-f-]{36}$/

export function partialName(): string {
  return `${HOST}.${process.pid}.${randomUUID()}`
}

/** Removes what crashed writes have left; tells how many files that were. */
export async function sweepPartialFiles(folder: string): Promise<number> {
  let swept = 0
  for (const name of await readdir(folder)) if (await removeIfAbandoned(join(folder, name), name)) swept++
  return swept
}

async function removeIfAbandoned(path: string, name: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path)
    if (!isAbandoned(name, mtimeMs)) return false
    await unlink(path)
    return true
  } catch (error) {
    // Its writer has finished, or another process sweeps as well.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function isAbandoned(name: string, touchedMs: number): boolean {
  const [, host, pid] = NAME.exec(name) ?? []
  if (Date.now() - touchedMs > ABANDONED_AFTER_MS) return true
  if (host !== HOST) return false
  return Number(pid) === process.pid ? touchedMs < startedMs() : !isRunning(Number(pid))
}

/** In a container every life of the gateway has the same process id; only the time tells them apart. */
function startedMs(): number {
  return Date.now() - process.uptime() * 1000
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
