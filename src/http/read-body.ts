import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { GrowingBytes } from '../base/bytes/growing-bytes.ts'
import { problem } from '../contract/problems.ts'
import { ClientGone } from '../calls/client-gone.ts'
import { COPIES_OF_BODY, COPIES_SENT, type MemoryLease, UNCOUNTED_BYTES } from '../calls/memory-budget.ts'
import { TinyChunks, TOO_MANY_CHUNKS } from './tiny-chunks.ts'

type Done = (error: Error | null, body?: Buffer) => void
/** A request, and how long its body may be. */
type Bounded = Pick<FastifyRequest, 'headers'> & { routeOptions: { bodyLimit: number } }

/**
 * Reads a whole body into one buffer, however small its chunks are. Memory for a large body is reserved before it is read:
 * for its declared length, or whenever the buffer grows. While there is no memory, the client's socket is not read.
 */
export function readBody(request: Bounded, payload: Readable, lease: () => MemoryLease, done: Done): void {
  const { bodyLimit } = request.routeOptions
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > bodyLimit) return done(problem('too_large'))
  const reader = new BodyReader(payload, bodyLimit, lease, done)
  reader.begin(declared > 0 ? declared : FIRST_BYTES)
}

/** The first buffer for a body of unknown length. */
const FIRST_BYTES = 4 * 1024

class BodyReader {
  readonly #payload: Readable
  readonly #limit: number
  readonly #lease: () => MemoryLease
  readonly #done: Done
  readonly #body = new GrowingBytes()
  readonly #tiny = new TinyChunks()
  #isOver = false

  constructor(payload: Readable, limit: number, lease: () => MemoryLease, done: Done) {
    this.#payload = payload
    this.#limit = limit
    this.#lease = lease
    this.#done = done
  }

  begin(bytes: number): void {
    this.#payload.on('error', this.#gone)
    const waiting = this.#reserve(bytes)
    if (waiting) void waiting.then(this.#read, this.#fail)
    else this.#read()
  }

  readonly #read = () => {
    if (this.#isOver) return
    this.#payload.on('data', this.#take).on('end', this.#end)
  }

  readonly #take = (chunk: Buffer) => {
    const size = this.#body.length + chunk.length
    if (size > this.#limit) return this.#fail(problem('too_large'))
    if (this.#tiny.isTooMany(chunk)) return this.#fail(TOO_MANY_CHUNKS)
    if (size <= this.#body.capacity) return this.#body.append(chunk)
    const waiting = this.#reserve(Math.min(this.#limit, Math.max(size, 2 * this.#body.capacity)))
    if (!waiting) return this.#body.append(chunk)
    this.#payload.pause()
    void waiting.then(() => {
      this.#body.append(chunk)
      this.#payload.resume()
    }, this.#fail)
  }

  /** Returns undefined if there is memory at once, as is nearly always the case. */
  #reserve(bytes: number): Promise<void> | undefined {
    const { capacity } = this.#body
    const before = capacity > UNCOUNTED_BYTES ? capacity : 0
    const more = bytes > UNCOUNTED_BYTES ? (bytes - before) * COPIES_OF_BODY : 0
    if (more === 0 || this.#lease().tryHold(more)) return this.#grow(bytes)
    return this.#lease()
      .hold(more)
      .then(() => this.#grow(bytes))
  }

  #grow(bytes: number): undefined {
    this.#body.moveTo(Buffer.allocUnsafe(bytes))
  }

  readonly #end = () => {
    this.#leave()
    const { capacity, bytes } = this.#body
    if (capacity > UNCOUNTED_BYTES) this.#lease().holdUntilSent(capacity * COPIES_SENT)
    this.#done(null, bytes)
  }

  readonly #gone = () => this.#fail(new ClientGone())

  readonly #fail = (error: Error) => {
    if (this.#isOver) return
    this.#leave()
    this.#done(error)
  }

  #leave(): void {
    this.#isOver = true
    this.#payload.off('data', this.#take).off('end', this.#end).off('error', this.#gone)
    // Errors of a client that has left can be ignored.
    this.#payload.on('error', ignore)
  }
}

function ignore(): void {}
