import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Result, Statement, TransactionOptions } from './database.ts'
import { packValues } from './packed-values.ts'
import type { Batch, Call, WorkerError, Reply } from './sqlite-worker.ts'
import { statementNumbers } from './statement-numbers.ts'
import { StoreDamaged, StoreUnavailable } from './store-unavailable.ts'

type Results = Result<Record<string, unknown>>[]
type Outgoing = { id: number; statements: readonly Statement[]; unhurried: boolean }

const PENDING_CALLS_LIMIT = 10_000

/**
 * SQLite writes block their thread until the disk has them, so one worker does them all.
 * Calls of one turn of the event loop cross in one message; the worker commits whatever has queued up together.
 */
export function connectWorker(path: string) {
  const pending = new Map<number, PromiseWithResolvers<Results>>()
  const numbers = statementNumbers()
  let outgoing: Outgoing[] = []
  let worker: Worker | undefined
  let nextId = 0
  let closed: Promise<void> | undefined

  return { run, close }

  function run(statements: readonly Statement[], options: TransactionOptions = {}): Promise<Results> {
    if (closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    if (pending.size >= PENDING_CALLS_LIMIT) return Promise.reject(new StoreUnavailable('The store is at its limit.'))
    const id = nextId++
    const call = Promise.withResolvers<Results>()
    pending.set(id, call)
    if (outgoing.push({ id, statements, unhurried: options.unhurried === true }) === 1) setImmediate(send)
    return call.promise
  }

  function send() {
    const calls = outgoing
    outgoing = []
    worker ??= startWorker()
    // Idle, the worker lets the process end; with somebody waiting for an answer, it does not.
    worker.ref()
    const batch = toBatch(calls, numbers)
    worker.postMessage(batch, [batch.values.kinds.buffer, batch.values.numbers.buffer])
  }

  function startWorker(): Worker {
    // Flags of the main thread, such as --input-type, would keep the worker from loading.
    const options = { workerData: { path }, execArgv: [] }
    const started = new Worker(new URL('./sqlite-worker.ts', import.meta.url), options)
    let reason = 'exit'
    started.on('message', (replies: Reply[]) => replies.forEach(settle))
    started.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code ?? error.name
    })
    started.on('exit', () => forget(reason))
    return started
  }

  function settle(reply: Reply) {
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if (pending.size === 0) worker?.unref()
    if ('results' in reply) call?.resolve(reply.results as Results)
    else call?.reject(toError(reply.failure))
  }

  /** The next call starts a new worker, which knows none of the statements. */
  function forget(reason: string) {
    const unsent = new Set(outgoing.map((call) => call.id))
    worker = undefined
    numbers.clear()
    for (const [id, call] of pending) {
      if (unsent.has(id)) continue
      pending.delete(id)
      call.reject(new StoreUnavailable(`The embedded database stopped unexpectedly (${reason}).`))
    }
  }

  function close(): Promise<void> {
    closed ??= finish()
    return closed
  }

  async function finish() {
    await Promise.allSettled(Array.from(pending.values(), (call) => call.promise))
    if (!worker) return
    worker.ref()
    worker.postMessage('close')
    await once(worker, 'exit')
  }
}

function toBatch(outgoing: readonly Outgoing[], numbers: ReturnType<typeof statementNumbers>): Batch {
  const calls = outgoing.map(({ id, statements, unhurried }): Call => {
    const steps = statements.map(({ sql, values }): Call['steps'][number] => [
      numbers.numberOf(sql),
      values?.length ?? 0,
    ])
    return { id, steps, unhurried }
  })
  const lists = outgoing.flatMap(({ statements }) => statements.map(({ values }) => values ?? []))
  return { ...numbers.takeNews(), calls, values: packValues(lists) }
}

function toError({ message, about }: WorkerError): Error {
  if (about === 'file') return new StoreDamaged(message)
  return about === 'store' ? new StoreUnavailable(message) : new Error(message)
}
