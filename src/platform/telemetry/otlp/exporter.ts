import { gzip as gzipWithCallback, constants } from 'node:zlib'
import { promisify } from 'node:util'

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
/** As OTLP says; every other error is final. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])
const WARN_EVERY_MS = 60_000

type Signal = 'traces' | 'metrics'

/** Where one signal goes. Headers may hold secrets and are never shown. */
export type SignalTarget = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly compression: 'gzip' | 'none'
}

export type CollectorAnswer = { readonly status: number; readonly retryAfterSeconds: number | undefined; text: string }
export type CollectorRequest = {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}

/** What an exporter needs from the process. `post` rejects if no answer comes. */
export type ExporterTools = {
  post(request: CollectorRequest, timeoutMs: number, signal: AbortSignal): Promise<CollectorAnswer>
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
export type Batch = { readonly body: string | Uint8Array; readonly count: number }

export class Exporter {
  readonly #signal: Signal
  readonly #target: SignalTarget
  readonly #tools: ExporterTools
  /** Raised when the process ends: there is no time left for waits. */
  readonly #hurry = new AbortController()
  readonly #giveUp = new AbortController()
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(signal: Signal, target: SignalTarget, tools: ExporterTools) {
    this.#signal = signal
    this.#target = target
    this.#tools = tools
  }

  /** Resolves when the collector has the batch, or when it is given up. Never rejects. */
  async send({ body, count }: Batch): Promise<void> {
    const request = await this.#requestOf(body)
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(request)
      if (answer && answer.status >= 200 && answer.status < 300) return this.#readRejected(answer)
      if (answer && !RETRYABLE.has(answer.status)) return this.#drop('refused', count, `status ${answer.status}`)
      if (tries >= MAX_TRIES || this.#hurry.signal.aborted)
        return this.#drop('failed', count, answer ? `status ${answer.status}` : 'no answer')
      await this.#tools.sleep(this.#waitMs(tries, answer), this.#hurry.signal)
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

  async #requestOf(body: Batch['body']): Promise<CollectorRequest> {
    const { url, headers, compression } = this.#target
    const plain = { 'content-type': 'application/json', ...headers }
    if (compression === 'none' || body.length < COMPRESSED_FROM_LENGTH) return { url, headers: plain, body }
    return { url, headers: { ...plain, 'content-encoding': 'gzip' }, body: await gzip(body, FASTEST) }
  }

  #post(request: CollectorRequest): Promise<CollectorAnswer | undefined> {
    return this.#tools.post(request, this.#target.timeoutMs, this.#giveUp.signal).catch(() => undefined)
  }

  /** The collector knows best how long it needs. Otherwise twice as long each time, with a random part. */
  #waitMs(tries: number, answer: CollectorAnswer | undefined): number {
    const asked = answer?.retryAfterSeconds
    if (asked !== undefined) return Math.min(asked * 1_000, MAX_ASKED_MS)
    return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS) * (0.5 + this.#tools.random() / 2)
  }

  #readRejected({ text }: CollectorAnswer): void {
    const rejected = rejectedIn(text)
    if (rejected && rejected.count > 0) this.#drop('rejected', rejected.count, rejected.message)
  }

  #drop(reason: DropReason, count: number, why: string): void {
    this.#tools.dropped(this.#signal, reason, count)
    const now = this.#tools.monotonic()
    if (now - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = now
    this.#tools.warn({ signal: this.#signal, reason, count, why }, 'telemetry did not reach the collector')
  }
}

const MAX_MESSAGE_CHARS = 200

/** What a collector says about a batch of which it took only a part. */
function rejectedIn(text: string): { count: number; message: string } | undefined {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: Record<string, unknown> | null }
    if (!partialSuccess) return undefined
    const count = Number(partialSuccess.rejectedSpans ?? partialSuccess.rejectedDataPoints ?? 0)
    const message = String(partialSuccess.errorMessage ?? '').slice(0, MAX_MESSAGE_CHARS)
    return { count: Number.isSafeInteger(count) && count > 0 ? count : 0, message }
  } catch {
    // Some collectors answer with nothing, or in another format. The status has said it already.
    return undefined
  }
}
