import type { WireResponse } from '../../wire/wire.ts'

const LF = 10
const SPACE = 32
/**
 * A body that brings fewer bytes than this within the time limit for silence is as good as silent. Slow connections bring a
 * hundred times as much.
 */
const ENOUGH_BYTES = 1_024

/** What the latest bytes of a body show: nothing, that the sender is still there, or that its answer goes on. */
export type Sign = 'none' | 'alive' | 'progress'

/**
 * Judges the arrivals of a body, because a sender that drips a byte per second would never be too late. A line of an event
 * stream counts however short it is, since a provider that thinks sends comments. So does white space before the first byte
 * of any other body, but that only shows that the sender is alive.
 */
export class BodyProgress {
  #isEvents = false
  #hasBegun = false
  #bytes = 0
  #sign: Sign = 'none'

  begin({ 'content-type': type }: WireResponse['headers']): void {
    this.#isEvents = typeof type === 'string' && /^text\/event-stream/i.test(type)
    this.#hasBegun = this.#isEvents
    this.#bytes = 0
    this.#sign = 'progress'
  }

  add(piece: Buffer): void {
    if (!this.#hasBegun && !this.#begins(piece)) return
    this.#bytes += piece.length
    if (this.#bytes < ENOUGH_BYTES && !(this.#isEvents && endsLine(piece))) return
    this.#bytes = 0
    this.#sign = 'progress'
  }

  /** What has arrived since the last call. */
  take(): Sign {
    const sign = this.#sign
    this.#sign = 'none'
    return sign
  }

  #begins(piece: Buffer): boolean {
    this.#hasBegun = piece.some((byte) => byte > SPACE)
    this.#sign = this.#hasBegun ? 'progress' : this.#sign === 'none' ? 'alive' : this.#sign
    return this.#hasBegun
  }
}

/** Nearly every arrival ends with a line, so the last byte is looked at first. */
function endsLine(piece: Buffer): boolean {
  return piece[piece.length - 1] === LF || piece.includes(LF)
}
