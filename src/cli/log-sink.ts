import { write } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { MB } from '../base/units/units.ts'

// Lines are buffered and written together, one write at a time, on a thread of the pool, so that a stuck reader of the log
// does not hold up requests. If the reader stays stuck, lines are dropped and counted, so that the buffer stays bounded.

const WRITE_AT_CHARS = 32 * 1024
const FLUSH_MS = 200
const MAX_WAITING_CHARS = 16 * MB
const RETRY_MS = 50
/** How often a stuck reader is waited for at the end, for a moment each time. */
const LAST_TRIES = 20

export class LogSink {
  readonly #fd: number
  readonly #timer: NodeJS.Timeout
  #lines: string[] = []
  #chars = 0
  #writing: Buffer | undefined
  #written: PromiseWithResolvers<void> | undefined
  dropped = 0

  constructor(fd: number) {
    this.#fd = fd
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref()
  }

  write(line: string): void {
    if (this.#chars > MAX_WAITING_CHARS) {
      this.dropped++
      return
    }
    this.#lines.push(line)
    this.#chars += line.length
    if (this.#chars >= WRITE_AT_CHARS) this.#flush()
  }

  /** Writes the buffered lines, and gives up on a reader that stays stuck. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (let tries = 0; tries < LAST_TRIES && (this.#writing || this.#lines.length > 0); tries++) {
      this.#flush()
      await Promise.race([this.#written?.promise, sleep(RETRY_MS)])
    }
  }

  #flush(): void {
    if (this.#writing || this.#lines.length === 0) return
    this.#writing = this.#take()
    this.#written = Promise.withResolvers()
    this.#writeOut()
  }

  #writeOut(): void {
    const bytes = this.#writing!
    write(this.#fd, bytes, (error, written) => {
      // A log that cannot be written (a closed pipe, a full disk) must not end the service.
      if (error && isBusy(error)) return void setTimeout(() => this.#writeOut(), RETRY_MS)
      this.#writing = error || written >= bytes.length ? undefined : bytes.subarray(written)
      if (this.#writing) return this.#writeOut()
      this.#written?.resolve()
      if (this.#chars >= WRITE_AT_CHARS) this.#flush()
    })
  }

  #take(): Buffer {
    const text = this.#lines.join('')
    this.#lines = []
    this.#chars = 0
    return Buffer.from(text)
  }
}

function isBusy(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN'
}
