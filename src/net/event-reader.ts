import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { type WireEvent, WireFailure } from '../contract/wire.ts'

/** One line or event longer than this is no stream of tokens any more; image events stay far below. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024

/**
 * Server-sent events of a body, batched as the bytes arrived: one network read is one batch, so that what came in one
 * packet can leave in one write. UTF-8 is decoded as a stream; a character cut by a packet border stays whole.
 */
export class EventReader {
  readonly #body: AsyncIterator<Uint8Array>
  readonly #decoder = new StringDecoder('utf8')
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => this.#batch.push(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw new WireFailure('protocol', error)
    },
  })
  #batch: WireEvent[] = []
  #ended = false

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]()
  }

  /** The next events; undefined when the body has ended. */
  async next(): Promise<WireEvent[] | undefined> {
    while (!this.#ended) {
      const { done, value } = await this.#body.next()
      this.#parser.feed(done ? this.#lastText() : this.#decoder.write(value as Buffer))
      if (this.#batch.length > 0) return this.#take()
    }
    return undefined
  }

  /** Whoever reads no further closes, and so ends the other side's work. */
  close(): void {
    void this.#body.return?.()
  }

  #take(): WireEvent[] {
    const batch = this.#batch
    this.#batch = []
    return batch
  }

  /** A last event whose blank line never came: an honest sender always ends it, so it is fed as if it had been. */
  #lastText(): string {
    this.#ended = true
    return `${this.#decoder.end()}\n\n`
  }
}
