import { Worker } from 'node:worker_threads'
import type { EngineName } from '../../engine-api/engines.ts'
import { atLimit, crashed, toError, tooLong, tooMuch } from './engine-faults.ts'
import type { Answer, Order } from './engine-worker.ts'

const DEFAULT_LIMIT_MS = 20_000
/** Reading a full page of print takes several seconds, on a busy machine many. */
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
/** What stands outside of the heap (buffers, pictures) has no limit of its own: it is looked at. */
const BUFFER_LIMIT_BYTES = 1024 * 1024 * 1024
const LOOK_EVERY_MS = 100

/** `leave` is called when nobody wants the result any more. */
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

/** Whether an engine may need longer than most. */
export function isLong(name: EngineName): boolean {
  return (LIMITS_MS[name] ?? 0) > DEFAULT_LIMIT_MS
}

/**
 * A thread with one piece at a time. An engine cannot be asked to stop: one that takes too long or too much, or works for
 * somebody who has left, is given up with its thread.
 */
export class EngineThread {
  readonly #worker: Worker
  readonly #options: ThreadOptions
  readonly #gone: (thread: EngineThread) => void
  #piece: Piece | undefined
  #timers: NodeJS.Timeout[] = []
  #isGone = false

  /** `gone` is called when the thread is no more. */
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

  /** Its piece fails with it, and nobody else's. */
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

  /** A small file can unpack to any size. The answer comes also while the engine is at work, and not when it has ended. */
  async #weigh(piece: Piece): Promise<void> {
    const memory = await this.#worker.getHeapStatistics().catch(() => undefined)
    const limit = this.#options.bufferLimit ?? BUFFER_LIMIT_BYTES
    const isOver = memory !== undefined && memory.external_memory > limit
    if (isOver && this.#piece === piece) this.giveUp(tooMuch())
  }

  #end(answer: Answer): void {
    // Nobody knows in which state an engine is that failed in a way it does not know itself.
    if ('failure' in answer && answer.failure.kind === 'failed') return this.giveUp(toError(answer.failure))
    const piece = this.#release()
    // Idle, a thread lets the process end.
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
