import { parentPort, workerData } from 'node:worker_threads'
import { checkCopy, copyDatabase } from './copy-database.ts'

// The thread of run-apart.ts: one long statement on the file of the embedded database.

const WORK = { copyDatabase, checkCopy }

export type FileWork = typeof WORK

/** Errors of SQLite lose these members on their way between threads. */
export type FileFailure = { message: string; errstr?: string | undefined; code?: string | undefined }

const { name, parameters } = workerData as { name: keyof FileWork; parameters: [string, string] }

try {
  parentPort!.postMessage({ result: WORK[name](...parameters) })
} catch (error) {
  const { message, errstr, code } = error as FileFailure
  parentPort!.postMessage({ failure: { message, errstr, code } satisfies FileFailure })
}
