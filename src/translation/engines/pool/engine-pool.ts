import type { EngineName, Engines, RunEngine } from '../../engine-api/engines.ts'
import { FairSemaphore } from '../../../base/fairness/fair-semaphore.ts'
import { atLimit } from './engine-errors.ts'
import { EngineThread, isLong, type Piece, type ThreadOptions } from './engine-thread.ts'

/** All threads. One owner may use all but one at once. */
const THREADS = 3
/** Tasks that one owner may have waiting. */
const QUEUE_LIMIT = 64
/** How long a thread is kept that no single owner needs: it holds the data that its engines have loaded. */
const SPARE_THREAD_MS = 60_000
/** How long the other threads are kept without a task. Some engines take seconds to load. */
const IDLE_THREADS_MS = 300_000

export type EnginePool = { run: RunEngine; close(): Promise<void> }

export type PoolOptions = ThreadOptions & {
  threads?: number
  queueLimit?: number
  spareThreadMs?: number
  idleThreadsMs?: number
}

/**
 * A few threads, started on demand; a thread that was ended is replaced for the next task. Waiting owners are served in
 * rotation, and no owner gets all threads: a long document of one owner does not delay a short text of another.
 */
export function openEnginePool(options: PoolOptions = {}): EnginePool {
  const pool = new Pool(options)
  return { run: (name, input, signal, owner) => pool.run(name, input, signal, owner), close: () => pool.close() }
}

class Pool {
  readonly #options: PoolOptions
  readonly #maxThreadsPerOwner: number
  readonly #threads = new Set<EngineThread>()
  /** Busy threads per owner. */
  readonly #atWork: FairSemaphore
  /** Waiting tasks by owner; the next owner to be served is first. */
  readonly #queues = new Map<string, Piece[]>()
  #retiring: NodeJS.Timeout[] = []
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    const { threads = THREADS } = options
    this.#maxThreadsPerOwner = threads - 1
    this.#atWork = new FairSemaphore({ capacity: threads })
  }

  run<Name extends EngineName>(name: Name, input: Engines[Name]['input'], signal: AbortSignal, owner: string) {
    if (signal.aborted) return Promise.reject(signal.reason)
    const queue = this.#queues.get(owner) ?? []
    const { queueLimit = QUEUE_LIMIT } = this.#options
    if (this.#isClosed || queue.length >= queueLimit) return Promise.reject(atLimit())
    const settled = Promise.withResolvers<unknown>()
    const piece: Piece = { name, input, owner, signal, settled, leave: () => this.#abandon(piece) }
    signal.addEventListener('abort', piece.leave, { once: true })
    queue.push(piece)
    this.#queues.set(owner, queue)
    this.#serve()
    return settled.promise as Promise<Engines[Name]['output']>
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopRetiring()
    for (const queue of this.#queues.values()) for (const piece of queue.splice(0)) piece.settled.reject(atLimit())
    this.#queues.clear()
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  /** Starts one task per owner in rotation, as long as there are threads. */
  #serve(): void {
    for (let served = true; served; ) {
      served = false
      for (const [owner, queue] of [...this.#queues]) if (this.#serveOne(owner, queue)) served = true
    }
  }

  #serveOne(owner: string, queue: Piece[]): boolean {
    if (queue.length === 0 || !this.#atWork.tryAcquire(owner)) return false
    const [piece] = queue.splice(this.#indexOfNext(owner, queue), 1)
    this.#queues.delete(owner)
    if (queue.length > 0) this.#queues.set(owner, queue)
    this.#begin(piece!)
    return true
  }

  /** An owner's second long task comes after its short ones. Long tasks do not starve, because one of them is running. */
  #indexOfNext(owner: string, queue: readonly Piece[]): number {
    const works = [...this.#threads].some(({ piece }) => piece?.owner === owner && isLong(piece.name))
    return works
      ? Math.max(
          0,
          queue.findIndex(({ name }) => !isLong(name)),
        )
      : 0
  }

  #begin(piece: Piece): void {
    const ended = () => {
      this.#atWork.release(piece.owner)
      this.#serve()
      this.#retireLater()
    }
    piece.settled.promise.then(ended, ended)
    const idle = [...this.#threads].find((thread) => !thread.piece)
    try {
      const thread = idle ?? this.#startThread()
      thread.begin(piece)
    } catch (error) {
      this.#fail(piece, error)
    }
  }

  /** The caller has left, or no thread can be started, or the input cannot be transferred. */
  #fail(piece: Piece, reason: unknown): void {
    const thread = [...this.#threads].find((one) => one.piece === piece)
    piece.signal.removeEventListener('abort', piece.leave)
    if (thread) thread.giveUp(reason)
    else piece.settled.reject(reason)
  }

  #startThread(): EngineThread {
    const gone = (thread: EngineThread) => this.#threads.delete(thread)
    const thread = new EngineThread(this.#options, gone, (piece) => this.#startThread().begin(piece))
    this.#threads.add(thread)
    return thread
  }

  #retireLater(): void {
    this.#stopRetiring()
    if (this.#isClosed) return
    const { spareThreadMs = SPARE_THREAD_MS, idleThreadsMs = IDLE_THREADS_MS } = this.#options
    this.#retiring = [
      setTimeout(() => this.#retire(this.#maxThreadsPerOwner), spareThreadMs).unref(),
      setTimeout(() => this.#retire(0), idleThreadsMs).unref(),
    ]
  }

  #stopRetiring(): void {
    for (const timer of this.#retiring) clearTimeout(timer)
  }

  /** Ends threads without a task until so many are left. */
  #retire(count: number): void {
    for (const thread of this.#threads) if (!thread.piece && this.#threads.size > count) thread.giveUp(atLimit())
  }

  #abandon(piece: Piece): void {
    const queue = this.#queues.get(piece.owner)
    const waiting = queue?.indexOf(piece) ?? -1
    if (waiting >= 0) queue!.splice(waiting, 1)
    if (queue?.length === 0) this.#queues.delete(piece.owner)
    this.#fail(piece, piece.signal.reason)
  }
}
