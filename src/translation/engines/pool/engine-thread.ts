import { Worker } from 'node:worker_threads'
import type { EngineName } from '../../engine-api/engines.ts'
import { atLimit, crashed, toError, tooLong, tooMuch } from './engine-errors.ts'
import { DEFAULT_ENGINE_BYTES, type EngineData } from './engine-memory.ts'
import type { Answer, EngineFailure, Order } from '../engine-worker.ts'
import { MB } from '../../../base/units/units.ts'

const DEFAULT_LIMIT_MS = 20_000
/** Recognizing a full page takes several seconds, and many on a busy machine. */
const LIMITS_MS: Partial<Record<EngineName, number>> = {
  image: 90_000,
  scan: 90_000,
  pdf: 60_000,
  speech: 60_000,
  embeddings: 60_000,
  json_heal: 10_000,
  block_patterns: 10_000,
  redact_pii: 10_000,
  web_page: 10_000,
}
/** The part of a thread's memory that its heap may have. */
const HEAP_SHARE = 0.6
/** Objects that were just made. V8 would take 192 MB for them. */
const YOUNG_MB = 24
/** The thread weighs its own buffers before it allocates them (engine-memory.ts). What native code allocates is seen from here. */
const LOOK_EVERY_MS = 100

/** `leave` is called when the caller has left. */
export type Piece = Order & {
  owner: string
  signal: AbortSignal
  settled: PromiseWithResolvers<unknown>
  leave(): void
}

export type ThreadOptions = {
  limitMs?: number
  /** What the thread may hold: heap, buffers and WebAssembly together. */
  threadBytes?: number
  /** The file that the thread runs; another one in tests. */
  worker?: URL
}

const LASTING: readonly EngineFailure['kind'][] = ['failed', 'memory']

/** Whether an engine may take longer than most. */
export function isLong(name: EngineName): boolean {
  return (LIMITS_MS[name] ?? 0) > DEFAULT_LIMIT_MS
}

/**
 * A thread that runs one task at a time. An engine cannot be interrupted: if it takes too long or too much memory, or the
 * caller has left, its thread is ended.
 */
export class EngineThread {
  readonly #worker: Worker
  readonly #options: ThreadOptions
  readonly #engineBytes: number
  readonly #gone: (thread: EngineThread) => void
  readonly #again: (piece: Piece) => void
  #piece: Piece | undefined
  #timers: NodeJS.Timeout[] = []
  #begun = 0
  #isGone = false

  /** `gone` is called when the thread has ended, `again` with a piece that needs a thread in which nothing else is loaded. */
  constructor(options: ThreadOptions, gone: (thread: EngineThread) => void, again: (piece: Piece) => void) {
    this.#options = options
    this.#gone = gone
    this.#again = again
    const file = options.worker ?? new URL('../engine-worker.ts', import.meta.url)
    this.#engineBytes = options.threadBytes ?? DEFAULT_ENGINE_BYTES
    const heapMb = Math.floor((this.#engineBytes * HEAP_SHARE) / MB)
    const resourceLimits = {
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: Math.max(1, heapMb - YOUNG_MB),
    }
    const workerData: EngineData = { engineBytes: this.#engineBytes }
    // Flags of the main thread, such as --input-type, would keep the worker from loading.
    this.#worker = new Worker(file, { execArgv: [], workerData, resourceLimits })
    this.#worker.on('message', (answer: Answer) => this.#end(answer))
    this.#worker.on('error', (error) => this.giveUp(isOutOfHeap(error) ? tooMuch() : crashed()))
    this.#worker.on('exit', () => this.giveUp(crashed()))
  }

  get piece(): Piece | undefined {
    return this.#piece
  }

  begin(piece: Piece): void {
    this.#piece = piece
    this.#begun++
    const limitMs = this.#options.limitMs ?? LIMITS_MS[piece.name] ?? DEFAULT_LIMIT_MS
    const late = setTimeout(() => this.giveUp(tooLong(limitMs)), limitMs)
    this.#timers = [late, setInterval(() => void this.#weigh(piece), LOOK_EVERY_MS)]
    this.#worker.ref()
    this.#worker.postMessage({ name: piece.name, input: piece.input } satisfies Order)
  }

  /** Fails the current task; other tasks are not affected. */
  giveUp(reason: unknown): void {
    if (this.#isGone) return
    this.#isGone = true
    void this.#worker.terminate()
    this.#gone(this)
    this.#release()?.settled.reject(reason)
  }

  async close(): Promise<void> {
    this.giveUp(atLimit())
    await this.#worker.terminate()
  }

  /**
   * Limits the memory, because a small file can decompress to any size. The measurement also works while the engine is busy.
   */
  async #weigh(piece: Piece): Promise<void> {
    const memory = await this.#worker.getHeapStatistics().catch(() => undefined)
    const isOver = memory !== undefined && memory.external_memory > this.#engineBytes
    if (isOver && this.#piece === piece) this.giveUp(tooMuch())
  }

  #end(answer: Answer): void {
    if ('failure' in answer && answer.failure.kind === 'memory' && this.#begun > 1) return this.#tryElsewhere()
    // After these failures the state of the engine is unknown, or the thread holds much, so the thread is replaced.
    if ('failure' in answer && LASTING.includes(answer.failure.kind)) return this.giveUp(toError(answer.failure))
    const piece = this.#release()
    // An idle thread lets the process end.
    this.#worker.unref()
    if ('failure' in answer) piece?.settled.reject(toError(answer.failure))
    else piece?.settled.resolve(answer.output)
  }

  /** What earlier pieces have loaded stays in memory. It is not the fault of this one. */
  #tryElsewhere(): void {
    const piece = this.#release()
    this.giveUp(atLimit())
    if (!piece) return
    piece.signal.addEventListener('abort', piece.leave, { once: true })
    this.#again(piece)
  }

  #release(): Piece | undefined {
    const piece = this.#piece
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
    this.#piece = undefined
    piece?.signal.removeEventListener('abort', piece.leave)
    return piece
  }
}

function isOutOfHeap(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
