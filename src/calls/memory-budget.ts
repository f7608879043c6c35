import { problem } from '../contract/problems.ts'
import { ClientGone } from './client-gone.ts'
import { FairSemaphore, type Holder, NoCapacity } from '../fairness/fair-semaphore.ts'

// Bytes that one request can make this process hold: its body, files that it names, the answer that it gets. They are counted
// before they are read, for the process and for each owner. Where they do not fit, the request waits, then it is refused.

/**
 * What a byte of a JSON body costs until its call ends: its text, the values parsed from it, what is sent on, each as a
 * string of one byte a character or of two. Measured in test/e2e/memory-bodies.test.ts.
 */
export const COPIES_OF_BODY = 6
/** Of those copies, the ones that are given back once the call was sent: what came, what was sent, and the bytes of that. */
export const COPIES_SENT = 3
/** A value of JSON beside its text: an empty object, or a key of its own. */
export const BYTES_OF_VALUE = 64
/** A byte of a file that stands in memory: itself, and 4/3 each for its base64, the JSON around it and the bytes of that. */
export const COPIES_OF_FILE = 5
/** A byte of an answer: its text, the values in it, what we write of them, and the bytes of that. */
export const COPIES_OF_ANSWER = 5
/** A byte of an event that has not come whole: of many short lines, each takes several times its length. */
export const COPIES_OF_EVENT = 10
/** A character of a stream in a format that says everything once more at its end, in several ways. */
export const COPIES_OF_STREAM = 6
/** A file that is read while it is sent: a chunk of it, its base64, and what waits in the socket. */
export const STREAMED_FILE_BYTES = 512 * 1024
/** What is shorter is not counted: there are at most so many requests at once (http/health.ts). */
export const UNCOUNTED_BYTES = 16 * 1024

/** Most answers are shorter than this, and come whole. */
const UNCOUNTED_GROWTH = 128 * 1024
const WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 5
/** Of the memory that this process may use. */
const SHARE_OF_MEMORY = 0.5

export type MemoryLimits = { heapBytes: number; machineBytes: number; processes: number }

/** Half of the heap, or of this process's part of the machine where that is less. */
export function memoryCapacity({ heapBytes, machineBytes, processes }: MemoryLimits): number {
  return Math.floor(SHARE_OF_MEMORY * Math.min(heapBytes, machineBytes / processes))
}

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

  /** For one request. Whoever opens it closes it. */
  lease(owner: string): MemoryLease {
    return new MemoryLease(owner, this.#semaphore, this.#waitMs)
  }
}

/** What one request holds, given back all at once at its end. */
export class MemoryLease implements Holder {
  /** With what its parts hold. The semaphore counts it up when it takes, also for one who waited. */
  held = 0
  readonly #owner: string
  readonly #semaphore: FairSemaphore
  readonly #waitMs: number
  readonly #whole: MemoryLease
  /** Without its parts. */
  #own = 0
  /** The part of it that is needed until the call was sent. */
  #untilSent = 0
  /** Most requests wait for nothing and read no file: these two are made when they are needed. */
  #things: Map<object, Promise<void>> | undefined
  #closing: AbortController | undefined
  #isClosed = false

  constructor(owner: string, semaphore: FairSemaphore, waitMs: number, whole?: MemoryLease) {
    this.#owner = owner
    this.#semaphore = semaphore
    this.#waitMs = waitMs
    this.#whole = whole ?? this
  }

  /** Counts with this one, and may be emptied and closed before it. */
  part(): MemoryLease {
    return new MemoryLease(this.#owner, this.#semaphore, this.#waitMs, this.#whole)
  }

  /** False: it has to be waited for. */
  tryHold(bytes: number): boolean {
    if (this.#isClosed || !this.#semaphore.tryAcquire(this.#owner, bytes, this.#whole)) return false
    this.#own += bytes
    return true
  }

  /**
   * Resolves when there is room. Rejects with 503 when there is none in time, with 413 when there never can be. Who waits is
   * let go when the lease is closed; the signal is for who may leave before that.
   */
  async hold(bytes: number, signal?: AbortSignal): Promise<void> {
    if (this.tryHold(bytes)) return
    if (this.#isClosed) throw new ClientGone()
    if (this.#whole.held + bytes > this.#semaphore.capacity) throw tooLarge()
    await this.#wait(bytes, signal)
    this.#own += bytes
    if (!this.#isClosed) return
    // It was closed in the moment between being served and hearing of it.
    this.empty()
    throw new ClientGone()
  }

  /** The same for something that may be read more than once: whoever comes second waits with the first. */
  holdOnce(thing: object, bytes: number, signal?: AbortSignal): Promise<void> {
    this.#things ??= new Map()
    const known = this.#things.get(thing)
    if (known) return known
    const holding = this.hold(bytes, signal).catch((error) => {
      this.#things?.delete(thing)
      throw error
    })
    this.#things.set(thing, holding)
    return holding
  }

  /** Counts as much of what is held as needed only until the call was sent. */
  holdUntilSent(bytes: number): void {
    this.#untilSent += bytes
  }

  sent(): void {
    const bytes = Math.min(this.#untilSent, this.#own)
    this.#untilSent = 0
    this.#release(bytes)
  }

  /** Gives back what it holds, for who goes on without. */
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

/** Counts something that grows, ahead of it and in few steps. What stays short is not counted. */
export class Growth {
  readonly #lease: MemoryLease | undefined
  readonly #copies: number
  readonly #signal: AbortSignal | undefined
  #counted = 0

  constructor(lease: MemoryLease | undefined, copies: number, signal?: AbortSignal) {
    this.#lease = lease
    this.#copies = copies
    this.#signal = signal
  }

  /** Undefined where nothing is to be waited for. `expected` is how large it will become, where that is known. */
  reach(size: number, expected = 0): Promise<void> | undefined {
    if (size <= Math.max(this.#counted, UNCOUNTED_GROWTH)) return undefined
    const next = Math.max(expected, 2 * size)
    const more = (next - this.#counted) * this.#copies
    this.#counted = next
    return !this.#lease || this.#lease.tryHold(more) ? undefined : this.#lease.hold(more, this.#signal)
  }
}

/** Too many of this owner wait already. */
function refuse(error: unknown): never {
  throw error instanceof NoCapacity ? overloaded() : error
}

function overloaded() {
  const message = 'The gateway has no memory left for a request of this size now. Try again shortly.'
  return problem('overloaded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

function tooLarge() {
  const message = 'This request needs more memory than the gateway has for one. Send less, or smaller files.'
  return problem('too_large', { message })
}
