import { Worker } from 'node:worker_threads'
import type { Result, Statement, TransactionOptions } from './database.ts'
import { packValues } from './packed-values.ts'
import type { Batch, Call, Reply, WorkerData, WorkerError } from './sqlite-worker.ts'
import { statementNumbers } from './statement-numbers.ts'
import { StoreDamaged, StoreUnavailable } from './store-unavailable.ts'

type Results = Result<Record<string, unknown>>[]
type QueuedCall = { id: number; statements: readonly Statement[]; unhurried: boolean }
type PendingCall = PromiseWithResolvers<Results> & Pick<TransactionOptions, 'progress'>

const PENDING_CALLS_LIMIT = 10_000

type LinkOptions = {
  readOnly?: boolean
  /** A worker without calls for this long is ended, and the next call starts another one. By default, it stays. */
  idleMs?: number
}

/**
 * Sends statements to a worker thread with a connection to the SQLite file. SQLite writes block their thread until the disk
 * has them, so one worker does them all; another one only reads reports. Calls from one turn of the event loop cross in one
 * message, and the worker commits everything that has queued up together.
 */
export class SqliteLink {
  readonly #workerData: WorkerData
  readonly #pending = new Map<number, PendingCall>()
  readonly #numbers = statementNumbers()
  #unsent: QueuedCall[] = []
  readonly #idleMs: number | undefined
  #idle: NodeJS.Timeout | undefined
  #worker: Worker | undefined
  #nextId = 0
  #ended: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(path: string, { readOnly = false, idleMs }: LinkOptions = {}) {
    this.#workerData = { path, readOnly }
    this.#idleMs = idleMs
  }

  run(statements: readonly Statement[], { unhurried = false, progress }: TransactionOptions = {}): Promise<Results> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'))
    if (this.#pending.size >= PENDING_CALLS_LIMIT)
      return Promise.reject(new StoreUnavailable('The store has too many pending calls.'))
    const id = this.#nextId++
    const call = { ...Promise.withResolvers<Results>(), progress }
    this.#pending.set(id, call)
    clearTimeout(this.#idle)
    const isFirst = this.#unsent.push({ id, statements, unhurried }) === 1
    if (isFirst) setImmediate(() => this.#send())
    return call.promise
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish()
    return this.#closed
  }

  #send() {
    const calls = this.#unsent
    this.#unsent = []
    this.#worker ??= this.#startWorker()
    // An idle worker lets the process end. A worker that owes an answer must not.
    this.#worker.ref()
    const batch = toBatch(calls, this.#numbers)
    this.#worker.postMessage(batch, [batch.values.kinds.buffer, batch.values.numbers.buffer])
  }

  #startWorker(): Worker {
    // Flags of the main thread, such as --input-type, would keep the worker from loading.
    const options = { workerData: this.#workerData, execArgv: [] }
    const started = new Worker(new URL('./sqlite-worker.ts', import.meta.url), options)
    let reason = 'exit'
    started.on('message', (replies: Reply[]) => {
      for (const reply of replies) this.#settle(reply)
    })
    started.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code ?? error.name
    })
    started.on('exit', () => {
      if (this.#worker === started) this.#forgetWorker(reason)
    })
    return started
  }

  #settle(reply: Reply) {
    const call = this.#pending.get(reply.id)
    if ('done' in reply) return call?.progress?.(reply.done)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#rest()
    if ('results' in reply) call?.resolve(reply.results as Results)
    else call?.reject(toError(reply.failure))
  }

  #rest() {
    this.#worker?.unref()
    if (this.#idleMs !== undefined) this.#idle = setTimeout(() => this.#endWorker(), this.#idleMs).unref()
  }

  #endWorker() {
    const worker = this.#worker
    if (!worker) return
    worker.postMessage('close')
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()))
    this.#forgetWorker('idle')
  }

  /** The next call starts a new worker, which does not know any prepared statement yet. */
  #forgetWorker(reason: string) {
    const unsent = new Set(this.#unsent.map((call) => call.id))
    this.#worker = undefined
    this.#numbers.clear()
    for (const [id, call] of this.#pending) {
      if (unsent.has(id)) continue
      this.#pending.delete(id)
      call.reject(new StoreUnavailable(`The embedded database stopped unexpectedly (${reason}).`))
    }
  }

  async #finish() {
    await Promise.allSettled(Array.from(this.#pending.values(), (call) => call.promise))
    clearTimeout(this.#idle)
    this.#worker?.ref()
    this.#endWorker()
    await this.#ended
  }
}

function toBatch(queued: readonly QueuedCall[], numbers: ReturnType<typeof statementNumbers>): Batch {
  const calls = queued.map(({ id, statements, unhurried }): Call => {
    const steps = statements.map(({ sql, values, required = false }): Call['steps'][number] => [
      numbers.numberOf(sql),
      values?.length ?? 0,
      required,
    ])
    return { id, steps, unhurried }
  })
  const lists = queued.flatMap(({ statements }) => statements.map(({ values }) => values ?? []))
  return { ...numbers.takeNews(), calls, values: packValues(lists) }
}

function toError({ message, about }: WorkerError): Error {
  if (about === 'file') return new StoreDamaged(message)
  return about === 'store' ? new StoreUnavailable(message) : new Error(message)
}
