import { gzip as gzipWithCallback, constants } from 'node:zlib'
import { promisify } from 'node:util'
import type { CollectorAnswer, Packed, Transport } from './collector.ts'
import type { Rejected } from './format.ts'

// Sends bodies to a collector: compressed, again if the collector asks for that, and never for longer than a batch is worth.

const gzip = promisify(gzipWithCallback)
/** Compressing less than this costs more than it saves. */
const COMPRESSED_FROM_LENGTH = 1_024
/** Spans repeat themselves so much that the fastest level already saves nine tenths. */
const FASTEST = { level: constants.Z_BEST_SPEED }
const MAX_TRIES = 5
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
/** A collector that asks for a longer pause is asked again after this one. */
const MAX_ASKED_MS = 600_000
const WARN_EVERY_MS = 60_000
const NO_ANSWER = { kind: 'later', why: 'no answer', afterMs: undefined } as const

export type Signal = 'traces' | 'metrics' | 'logs'

/** What an exporter needs from the process. */
export type ExporterTools = {
  /** Resolves after the time, or as soon as the signal is raised. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  random(): number
  monotonic(): number
  dropped(signal: Signal, reason: DropReason, count: number): void
  warn(fields: object, message: string): void
}

/** `full`: there was no room for it. `failed`: the collector was away. `refused`, `rejected`: it refused all, or a part. */
type DropReason = 'full' | 'failed' | 'refused' | 'rejected'

/** A body, and how many spans or points it holds. */
export type Batch = { readonly body: Uint8Array; readonly count: number }

type Way = { readonly transport: Transport; readonly compression: 'gzip' | 'none' }

export class Exporter {
  readonly #signal: Signal
  readonly #way: Way
  readonly #tools: ExporterTools
  /** Raised when the process ends: there is no time left for waits. */
  readonly #hurry = new AbortController()
  readonly #giveUp = new AbortController()
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(signal: Signal, way: Way, tools: ExporterTools) {
    this.#signal = signal
    this.#way = way
    this.#tools = tools
  }

  /** Resolves when the collector has the batch, or when it is given up. Never rejects. */
  async send({ body, count }: Batch): Promise<void> {
    const packed = await this.#pack(body)
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(packed)
      if (answer.kind === 'taken') return this.#noteRejected(answer)
      if (answer.kind === 'refused') return this.#drop('refused', count, answer.why)
      if (tries >= MAX_TRIES || this.#hurry.signal.aborted) return this.#drop('failed', count, answer.why)
      await this.#tools.sleep(this.#waitMs(tries, answer.afterMs), this.#hurry.signal)
    }
  }

  /** From now on, nothing is waited for between two tries. */
  hurry(): void {
    this.#hurry.abort()
  }

  /** Ends what is under way. */
  giveUp(): void {
    this.#giveUp.abort()
  }

  async #pack(body: Uint8Array): Promise<Packed> {
    if (this.#way.compression === 'none' || body.length < COMPRESSED_FROM_LENGTH)
      return { bytes: body, isCompressed: false }
    return { bytes: await gzip(body, FASTEST), isCompressed: true }
  }

  #post(packed: Packed): Promise<CollectorAnswer> {
    return this.#way.transport(packed, this.#giveUp.signal).catch(() => NO_ANSWER)
  }

  /** The collector knows best how long it needs. Otherwise twice as long each time, with a random part. */
  #waitMs(tries: number, askedMs: number | undefined): number {
    if (askedMs !== undefined) return Math.min(askedMs, MAX_ASKED_MS)
    return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS) * (0.5 + this.#tools.random() / 2)
  }

  #noteRejected({ rejected }: { rejected: Rejected | undefined }): void {
    if (rejected) this.#drop('rejected', rejected.count, rejected.message)
  }

  #drop(reason: DropReason, count: number, why: string): void {
    this.#tools.dropped(this.#signal, reason, count)
    const now = this.#tools.monotonic()
    if (now - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = now
    this.#tools.warn({ signal: this.#signal, reason, count, why }, 'telemetry did not reach the collector')
  }
}
