import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { WireFailure, type WireTimeouts, type WireResponse, type WireSource } from '../../../translation/wire/wire.ts'
import { toWireFailure } from '../wire-failures.ts'
import { BodyProgress } from './body-progress.ts'
import { Deadline } from './deadline.ts'
import type { Dialer, Line } from './dialer.ts'
import { type ResponseReceiver, ResponseReader } from './response-reader.ts'

/** A request as it is written: its head, then its body. */
export type RequestBytes = { head: string; body: string | Uint8Array | null; source?: WireSource | undefined }

/** Receives the answer to a request. `fail` may come at any time before `end`, and is then the last call. */
export type Asker = ResponseReceiver & {
  readonly timeouts: WireTimeouts
  readonly request: RequestBytes
  fail(failure: Error): void
  /** The connection that was opened for this request is there. */
  connected?(): void
}

/** What a connection reports to its pool. */
type Owner = {
  /** The connection can take a request now. */
  free(connection: Connection): void
  gone(connection: Connection): void
  /** How long a connection may be idle whose server does not say how long it keeps one. */
  readonly idleMs: number
}

const CONNECT_MS = 10_000
/**
 * The longest that any connection is idle. One that a server, a firewall or a router has forgotten is mute: a request that is
 * written to it is lost, and is not sent again. Most servers keep connections for 5 s or longer (`IDLE_MS` of pool.ts).
 */
const KEEP_ALIVE_MS = 30_000
/** The server starts counting its keep-alive time earlier than we do. */
const SPARE_MS = 2_000

/**
 * One socket to a provider. It serves one request at a time, and returns to the pool when its answer was read to the end.
 */
export class Connection implements ResponseReceiver, Line {
  readonly #owner: Owner
  readonly #dialer: Dialer
  #socket!: Socket
  readonly #reader = new ResponseReader(this)
  readonly #deadline = new Deadline(() => this.#tooLate())
  readonly #progress = new BodyProgress()
  #asker: Asker | undefined
  #isConnected = false
  #hasHead = false
  /** When the answer has to have begun. */
  #beginBy = Number.POSITIVE_INFINITY
  #isPaused = false
  #isWritten = true
  /** Resumes a writer that waits for buffer space. */
  #resumeWriting: (() => void) | undefined
  isGone = false
  /** The time since when it can take a request. */
  freeSince = 0
  /** The owner whose capacity this connection uses. The pool sets it. */
  usedBy: string | undefined

  constructor(dialer: Dialer, owner: Owner, asker: Asker) {
    this.#owner = owner
    this.#asker = asker
    this.#dialer = dialer
    this.#deadline.set(asker.timeouts.connectMs ?? CONNECT_MS)
    dialer.dial(this)
  }

  /** May be called only if the connection is free. */
  ask(asker: Asker): void {
    this.#asker = asker
    this.#hasHead = false
    this.#reader.begin()
    this.#beginBy = this.#deadline.set(asker.timeouts.headersMs)
    this.#write(asker.request)
  }

  /** The requester no longer wants the answer. If nothing was written yet, the connection serves the next request. */
  leave(asker: Asker): void {
    if (this.#asker !== asker) return
    this.#asker = undefined
    if (this.#isConnected) this.close()
  }

  /** While our side does not read, the sender cannot be too slow. */
  pause(): void {
    this.#isPaused = true
    this.#deadline.lift()
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (this.#asker) this.#deadline.set(this.#asker.timeouts.idleMs)
    this.#socket.resume()
  }

  close(): void {
    if (this.isGone) return
    this.isGone = true
    this.#deadline.end()
    this.#socket.destroy()
    this.#resumeWriting?.()
    this.#owner.gone(this)
  }

  head(status: number, headers: WireResponse['headers']): void {
    this.#hasHead = true
    this.#progress.begin(headers, this.#asker?.timeouts.idleMs ?? 0)
    this.#asker?.head(status, headers)
  }

  data(lent: Buffer): void {
    this.#progress.add(lent)
    this.#asker?.data(lent)
  }

  end(): void {
    const asker = this.#asker
    this.#asker = undefined
    asker?.end()
  }

  use(socket: Socket): void {
    this.#socket = socket
  }

  ready(): void {
    this.#isConnected = true
    const asker = this.#asker
    asker?.connected?.()
    if (asker) this.ask(asker)
    else this.#rest()
  }

  #write({ head, body, source }: RequestBytes): void {
    if (source) return void this.#writeSource(head, source)
    if (body === null) this.#socket.write(head, 'latin1')
    // A string body and its head are one write. A body that is not ASCII has another length in bytes, and is already a
    // Uint8Array.
    else if (typeof body === 'string') this.#socket.write(head + body, 'latin1')
    else {
      this.#socket.cork()
      this.#socket.write(head, 'latin1')
      this.#socket.write(body)
      this.#socket.uncork()
    }
  }

  /** Writes as fast as the server accepts it, and only until the request is aborted. */
  async #writeSource(head: string, { length, read }: WireSource): Promise<void> {
    this.#isWritten = false
    const wake = () => this.#resumeWriting?.()
    this.#socket.on('drain', wake).write(head, 'latin1')
    try {
      if (!(await this.#writePieces(read(), length))) throw new Error('the body does not have its declared length')
      this.#isWritten = true
    } catch (error) {
      this.#lost(error as Error)
    } finally {
      this.#socket.off('drain', wake)
    }
  }

  /** Never writes more bytes than the declared length, because they would be taken for the next request. */
  async #writePieces(pieces: AsyncIterable<Uint8Array>, length: number): Promise<boolean> {
    let remaining = length
    for await (const piece of pieces) {
      remaining -= piece.length
      if (remaining < 0 || this.isGone) break
      if (!this.#hasHead && this.#asker) this.#beginBy = this.#deadline.set(this.#asker.timeouts.headersMs)
      if (!this.#socket.write(piece)) await new Promise<void>((resolve) => (this.#resumeWriting = resolve))
    }
    return remaining === 0
  }

  arrived(lent: Buffer): void {
    try {
      this.#reader.feed(lent)
    } catch (error) {
      return this.#lost(error as Error)
    }
    if (this.isGone) return
    if (!this.#asker) this.#restWhenWritten()
    else if (this.#hasHead && !this.#isPaused) this.#goOn(this.#asker.timeouts)
  }

  #goOn({ idleMs }: WireTimeouts): void {
    const sign = this.#progress.take()
    if (sign === 'progress') this.#deadline.set(idleMs)
    // White space in front of an answer does not extend the time in which the answer has to begin.
    else if (sign === 'alive') this.#deadline.set(idleMs, this.#beginBy)
  }

  /** A TLS socket reports a turn of the event loop later that everything is written, and an answer can be faster. */
  #restWhenWritten(): void {
    if (this.#socket.writableLength === 0) this.#rest()
    else setImmediate(() => this.#rest())
  }

  /** Returns the connection to the pool, unless the answer or unexpected bytes made its state doubtful. */
  #rest(): void {
    if (this.isGone) return
    const isFresh = !this.#hasHead && !this.#reader.isSpoilt
    const hint = this.#reader.keepsForMs
    const restMs = hint === undefined ? this.#owner.idleMs : Math.min(KEEP_ALIVE_MS, hint - SPARE_MS)
    const isClean = this.#isWritten && this.#socket.writableLength === 0 && (isFresh || this.#reader.keepsAlive)
    if (!isClean || restMs <= 0) return this.close()
    if (this.#isPaused) this.resume()
    this.#deadline.set(restMs)
    this.freeSince = performance.now()
    this.#owner.free(this)
  }

  ended(): void {
    if (!this.#isConnected) return this.died(new WireFailure('reset'))
    try {
      this.#reader.finish()
      this.close()
    } catch (error) {
      this.died(error as Error)
    }
  }

  /**
   * The socket broke. A request that was written is not sent again, even if no byte of an answer came: the server may have
   * read it, and its model be at work. Before that, nothing was asked.
   */
  died(error: Error): void {
    this.#lost(this.#isConnected || this.isGone ? error : notOpened(error))
  }

  #lost(error: Error): void {
    const asker = this.#asker
    this.#asker = undefined
    this.close()
    asker?.fail(error)
  }

  #tooLate(): void {
    if (!this.#asker) return this.close()
    if (!this.#isConnected) return this.#lost(this.#dialer.tooLate())
    this.#lost(new WireFailure(this.#hasHead ? 'idle_timeout' : 'headers_timeout'))
  }
}

/** A connection that breaks while it is opened has cost nothing, unlike one that breaks later. */
function notOpened(error: Error): Error {
  return toWireFailure(error).kind === 'reset' ? new WireFailure('refused', error) : error
}
