import { Worker } from 'node:worker_threads'
import type { EngineName } from '../../engine-api/engines.ts'
import { atLimit, crashed, toError, tooLong, tooMuch } from './engine-errors.ts'
import type { Answer, Order } from './engine-worker.ts'

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
}
const HEAP_LIMIT_MB = 768
/** Memory outside of the heap (buffers, images) has no limit of its own, so it is measured. */
const BUFFER_LIMIT_BYTES = 1024 * 1024 * 1024
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
  /** In bytes. */
  bufferLimit?: number
  /** The file that the thread runs; another one in tests. */
  worker?: URL
}

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
  readonly #gone: (thread: EngineThread) => void
  #piece: Piece | undefined
  #timers: NodeJS.Timeout[] = []
  #isGone = false

  /** `gone` is called when the thread has ended. */
  constructor(options: ThreadOptions, gone: (thread: EngineThread) => void) {
    this.#options = options
    this.#gone = gone
    const file = options.worker ?? new URL('./engine-worker.ts', import.meta.url)
    // Flags of the main thread, such as --input-type, would keep the worker from loading.
    this.#worker = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB } })
    this.#worker.on('message', (answer: Answer) => this.#end(answer))
    this.#worker.on('error', () => this.giveUp(crashed()))
    this.#worker.on('exit', () => this.giveUp(crashed()))
  }

  get piece(): Piece | undefined {
    return this.#piece
  }

  begin(piece: Piece): void {
    this.#piece = piece
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
    const limit = this.#options.bufferLimit ?? BUFFER_LIMIT_BYTES
    const isOver = memory !== undefined && memory.external_memory > limit
    if (isOver && this.#piece === piece) this.giveUp(tooMuch())
  }

  #end(answer: Answer): void {
    // After an unexpected error the state of the engine is unknown, so the thread is replaced.
    if ('failure' in answer && answer.failure.kind === 'failed') return this.giveUp(toError(answer.failure))
    const piece = this.#release()
    // An idle thread lets the process end.
    this.#worker.unref()
    if ('failure' in answer) piece?.settled.reject(toError(answer.failure))
    else piece?.settled.resolve(answer.output)
  }

  #release(): Piece | undefined {
    const piece = this.#piece
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
    this.#piece = undefined
    piece?.signal.removeEventListener('abort', piece.leave)
    return piece
  }
}
