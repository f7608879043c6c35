import { DatabaseSync } from 'node:sqlite'

/** Ends with `release`, or with the process however that ends. */
export type ProcessLock = { release(): void }

/**
 * Locks a file for this process; undefined if another process or another part of this one holds it. Node cannot lock files,
 * but SQLite can: the kernel drops its locks when a process dies, and they also hold between containers with different
 * process numbers. The file stays empty, and nothing else may open it, because closing it would drop the lock.
 */
export function tryLock(path: string): ProcessLock | undefined {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    connection.exec('BEGIN EXCLUSIVE')
    return { release: () => connection.close() }
  } catch (error) {
    connection.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw error
  }
}

const SQLITE_BUSY = 5
