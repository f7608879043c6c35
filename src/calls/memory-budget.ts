import { problem } from '../contract/problems.ts'
import { ClientGone } from './client-gone.ts'
import { FairSemaphore, type Holder, NoCapacity } from '../base/fairness/fair-semaphore.ts'

// Bytes that a request makes this process hold: its body, its files, its answer. They are counted before they are read, for
// the process and for each owner. If they do not fit, the request waits, and is refused if that takes too long.

/**
 * How many bytes a byte of a JSON body takes until its call ends: its text, the parsed values, and what is sent to the
 * provider, each as a string with one or two bytes per character. Measured in test/hostile/memory-bodies.test.ts.
 */
export const COPIES_OF_BODY = 6
/** How many of those copies are released when the request has been sent: the received text, the sent text, and its bytes. */
export const COPIES_SENT = 3
/** What a JSON value takes besides its text: an empty object, or a key of its own. */
export const BYTES_OF_VALUE = 64
/** For a byte of a file in memory: itself, and 4/3 each for its base64, the JSON around it, and the bytes of that. */
export const COPIES_OF_FILE = 5
/** For a byte of an answer: its text, the parsed values, our own text, and the bytes of that. */
export const COPIES_OF_ANSWER = 5
/** For a byte of an incomplete event: if it has many short lines, each takes several times its length. */
export const COPIES_OF_EVENT = 10
/** For a character of a stream in a format that repeats everything at its end, in several forms. */
export const COPIES_OF_STREAM = 6
/** What a file takes that is read while it is sent: a chunk of it, its base64, and what waits in the socket. */
export const STREAMED_FILE_BYTES = 512 * 1024
/** Shorter bodies are not counted, because the number of concurrent requests is limited anyway (http/health.ts). */
export const UNCOUNTED_BYTES = 16 * 1024

/** Most answers are shorter than this, and arrive at once. */
const UNCOUNTED_GROWTH = 128 * 1024
const WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 5

export class MemoryBudget {
  readonly #semaphore: FairSemaphore
  readonly #waitMs: number

  constructor({ capacity, waitMs = WAIT_MS }: { capacity: number; waitMs?: number }) {
    this.#semaphore = new FairSemaphore({ capacity })
    this.#waitMs = waitMs
  }

  get held(): number {
    return this.#semaphore.used
  }

  get capacity(): number {
    return this.#semaphore.capacity
  }

  /** A lease for one request. The code that opens it has to close it. */
  lease(owner: string): MemoryLease {
    return new MemoryLease(owner, this.#semaphore, this.#waitMs)
  }
}

/** What one request holds. All of it is released when the lease is closed. */
export class MemoryLease implements Holder {
  /** Including what its parts hold. The semaphore adds to this when it grants bytes, also after a wait. */
  held = 0
  readonly #owner: string
  readonly #semaphore: FairSemaphore
  readonly #waitMs: number
  readonly #whole: MemoryLease
  /** Excluding its parts. */
  #own = 0
  /** How much of it is only needed until the request has been sent. */
  #untilSent = 0
  /** Most requests wait for nothing and read no file, so these two are created on demand. */
  #things: Map<object, Promise<void>> | undefined
  #closing: AbortController | undefined
  #isClosed = false

  constructor(owner: string, semaphore: FairSemaphore, waitMs: number, whole?: MemoryLease) {
    this.#owner = owner
    this.#semaphore = semaphore
    this.#waitMs = waitMs
    this.#whole = whole ?? this
  }

  /** A part counts towards this lease, and may be emptied and closed before it. */
  part(): MemoryLease {
    return new MemoryLease(this.#owner, this.#semaphore, this.#waitMs, this.#whole)
  }

  /** Returns false if the caller has to wait. */
  tryHold(bytes: number): boolean {
    if (this.#isClosed || !this.#semaphore.tryAcquire(this.#owner, bytes, this.#whole)) return false
    this.#own += bytes
    return true
  }

  /**
   * Resolves when the memory is available. Rejects with 503 if it is not available in time, and with 413 if it never can be.
   * Closing the lease ends the wait; the signal is for callers that may leave earlier.
   */
  async hold(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.tryHold(bytes)) return
    if (this.#isClosed) throw new ClientGone()
    if (this.#whole.held + bytes > this.#semaphore.capacity) throw tooLarge()
    await this.#wait(bytes, signal)
    this.#own += bytes
    if (!this.#isClosed) return
    // The lease was closed between the grant and this point.
    this.empty()
    throw new ClientGone()
  }

  /** Like hold, for something that may be read more than once: the second reader waits with the first. */
  holdOnce(thing: object, bytes: number, signal?: AbortSignal): Promise<void> {
    this.#things ??= new Map()
    const existing = this.#things.get(thing)
    if (existing) return existing
    const holding = this.hold(bytes, signal).catch((error) => {
      this.#things?.delete(thing)
      throw error
    })
    this.#things.set(thing, holding)
    return holding
  }

  /** Marks bytes that are held already as needed only until the request has been sent. */
  holdUntilSent(bytes: number): void {
    this.#untilSent += bytes
  }

  sent(): void {
    const bytes = Math.min(this.#untilSent, this.#own)
    this.#untilSent = 0
    this.#release(bytes)
  }

  /** Releases what it holds, without closing it. */
  empty(): void {
    this.#untilSent = 0
    this.#things = undefined
    this.#release(this.#own)
  }

  close(): void {
    this.#isClosed = true
    this.#closing?.abort(new ClientGone())
    this.empty()
  }

  #release(bytes: number): void {
    if (bytes === 0) return
    this.#own -= bytes
    this.#whole.held -= bytes
    this.#semaphore.release(this.#owner, bytes)
  }

  async #wait(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    this.#closing ??= new AbortController()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(overloaded()), this.#waitMs)
    const ends = [late.signal, this.#closing.signal]
    const end = AbortSignal.any(signal ? [...ends, signal] : ends)
    try {
      await this.#semaphore.acquire(this.#owner, bytes, end, this.#whole).catch(refuse)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Counts something that grows, in advance and in few steps. What stays short is not counted. */
export class MemoryGrowth {
  readonly #lease: MemoryLease | undefined
  readonly #copies: number
  readonly #signal: AbortSignal | undefined
  #counted = 0

  constructor(lease: MemoryLease | undefined, copies: number, signal?: AbortSignal) {
    this.#lease = lease
    this.#copies = copies
    this.#signal = signal
  }

  /** Undefined if there is nothing to wait for. `expected` is the final size, if that is known. */
  reach(size: number, expected = 0): Promise<void> | undefined {
    if (size <= Math.max(this.#counted, UNCOUNTED_GROWTH)) return undefined
    const next = Math.max(expected, 2 * size)
    const more = (next - this.#counted) * this.#copies
    this.#counted = next
    return !this.#lease || this.#lease.tryHold(more) ? undefined : this.#lease.hold(more, this.#signal)
  }
}

/** Too many requests of this owner are waiting already. */
function refuse(error: unknown): never {
  throw error instanceof NoCapacity ? overloaded() : error
}

function overloaded() {
  const message = 'The gateway has no memory for a request of this size at the moment. Try again shortly.'
  return problem('overloaded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

function tooLarge() {
  const message = 'This request needs more memory than the gateway allows for one request. Send less, or smaller files.'
  return problem('too_large', { message })
}
