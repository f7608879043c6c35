import type { EngineName, Engines, RunEngine } from '../contract/engines.ts'
import { atLimit } from './engine-faults.ts'
import { EngineThread, type Piece, type ThreadOptions } from './engine-thread.ts'

const THREADS = 2
const QUEUE_LIMIT = 64

export type EnginePool = { run: RunEngine; close(): Promise<void> }

export type PoolOptions = ThreadOptions & { threads?: number; queueLimit?: number }

/** A few threads, started when there is work; when one is given up, the next piece gets a new one. */
export function openEnginePool(options: PoolOptions = {}): EnginePool {
  const pool = new Pool(options)
  return { run: (name, input, signal) => pool.run(name, input, signal), close: () => pool.close() }
}

class Pool {
  readonly #options: PoolOptions
  readonly #threads = new Set<EngineThread>()
  readonly #queue: Piece[] = []
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  run<Name extends EngineName>(name: Name, input: Engines[Name]['input'], signal: AbortSignal) {
    const { queueLimit = QUEUE_LIMIT } = this.#options
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#isClosed || this.#queue.length >= queueLimit) return Promise.reject(atLimit())
    const settled = Promise.withResolvers<unknown>()
    const piece: Piece = { name, input, signal, settled, leave: () => this.#abandon(piece) }
    signal.addEventListener('abort', piece.leave, { once: true })
    this.#queue.push(piece)
    this.#serve()
    return settled.promise as Promise<Engines[Name]['output']>
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const piece of this.#queue.splice(0)) piece.settled.reject(atLimit())
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  #serve(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idleThread()
      if (!thread) return
      thread.begin(this.#queue.shift()!)
    }
  }

  #idleThread(): EngineThread | undefined {
    for (const thread of this.#threads) if (!thread.piece) return thread
    const { threads = THREADS } = this.#options
    return this.#threads.size < threads ? this.#startThread() : undefined
  }

  #startThread(): EngineThread {
    const thread = new EngineThread(this.#options, {
      free: () => this.#serve(),
      gone: (gone) => {
        this.#threads.delete(gone)
        this.#serve()
      },
    })
    this.#threads.add(thread)
    return thread
  }

  #abandon(piece: Piece): void {
    const waiting = this.#queue.indexOf(piece)
    const thread = [...this.#threads].find((one) => one.piece === piece)
    if (waiting >= 0) this.#queue.splice(waiting, 1)
    if (thread) thread.giveUp(piece.signal.reason)
    else piece.settled.reject(piece.signal.reason)
  }
}
