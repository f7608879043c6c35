import { randomUUID } from 'node:crypto'
import { readdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '../../base/units/units.ts'

// A file is written under a name that identifies its writer, and gets its final name when it is complete. That name
// identifies what a dead process has left behind. Files of live processes, here or on another machine with the same disk,
// are kept.

/**
 * A writer keeps touching its file. If a writer on another machine has not done so for this long, it is dead. Times of files
 * are the wall clock's, which may jump by hours.
 */
const ABANDONED_AFTER_MS = DAY_MS

const HOST = Buffer.from(hostname()).toString('hex').slice(0, 64) || '00'
const NAME = /^([0-9a-f]+)\.(\d{1,10})\.([0-9a-f]{8})-[0-9a-f-]{27}$/
/** In a container, every run of the gateway has the same process id, so a run has a number of its own. */
const RUN = randomUUID().slice(0, 8)

export function partialName(): string {
  return `${HOST}.${process.pid}.${RUN}${randomUUID().slice(RUN.length)}`
}

/** Removes what crashed writes have left behind, and returns the number of files. */
export async function sweepPartialFiles(folder: string): Promise<number> {
  let swept = 0
  for (const name of await readdir(folder)) if (await removeIfAbandoned(join(folder, name), name)) swept++
  return swept
}

async function removeIfAbandoned(path: string, name: string): Promise<boolean> {
  try {
    const found = await stat(path)
    // The gateway makes no folders here. A folder of another program, such as `lost+found` of a file system, stays.
    if (!found.isFile() || !isAbandoned(name, found.mtimeMs)) return false
    await unlink(path)
    return true
  } catch (error) {
    // The writer has finished, or another process is sweeping too.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function isAbandoned(name: string, touchedMs: number): boolean {
  const [, host, pid, run] = NAME.exec(name) ?? []
  if (host !== HOST) return Date.now() - touchedMs > ABANDONED_AFTER_MS
  return Number(pid) === process.pid ? run !== RUN : !isRunning(Number(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
