import { Worker } from 'node:worker_threads'
import type { FileFailure, FileWork } from './file-worker.ts'

type Message<Result> = { result: Result } | { failure: FileFailure }

/** Runs long work on a database file in a thread of its own, so that this one can show how far it is. */
export function runApart<Name extends keyof FileWork>(
  name: Name,
  ...parameters: Parameters<FileWork[Name]>
): Promise<ReturnType<FileWork[Name]>> {
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<FileWork[Name]>>()
  const options = { workerData: { name, parameters }, execArgv: [] }
  const worker = new Worker(new URL('./file-worker.ts', import.meta.url), options)
  worker.once('message', (message: Message<ReturnType<FileWork[Name]>>) => {
    if ('result' in message) resolve(message.result)
    else reject(Object.assign(new Error(message.failure.message), message.failure))
  })
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('The thread that works on the database file ended unexpectedly.')))
  return promise
}
