import type { WireResponse } from '../../../translation/wire/wire.ts'

const LF = 10
const SPACE = 32
/** A body that brings fewer bytes than this within the time limit for silence is as good as silent. */
const ENOUGH_BYTES = 1_024
/**
 * The same for an answer in one piece, for each second of that limit. The slowest of them, speech at a low bit rate, brings
 * several times as much.
 */
const ENOUGH_PER_SECOND = 100
/** Larger pieces are no drip, so their bytes are not looked at. */
const SMALL_PIECE_BYTES = 1_024

/** What the latest bytes of a body show: nothing, that the sender is still there, or that its answer goes on. */
export type Sign = 'none' | 'alive' | 'progress'

/**
 * Judges the arrivals of a body, because a sender that drips a byte per second would never be too late. A line of an event
 * stream counts however short it is, since a provider that thinks sends comments; the reader of the events judges what they
 * say. White space does not count in any other body. Before the first byte it shows at least that the sender is alive.
 */
export class BodyProgress {
  #isEvents = false
  /** Whether another reader judges the parts: of events, or of a compressed body. */
  #isOpaque = false
  #hasBegun = false
  #bytes = 0
  #enough = ENOUGH_BYTES
  #sign: Sign = 'none'

  begin(headers: WireResponse['headers'], idleMs: number): void {
    const type = String(headers['content-type'] ?? '')
    this.#isEvents = /^text\/event-stream/i.test(type)
    this.#isOpaque = this.#isEvents || headers['content-encoding'] !== undefined || /eventstream/i.test(type)
    this.#enough = this.#isOpaque ? ENOUGH_BYTES : Math.max(ENOUGH_BYTES, (idleMs / 1_000) * ENOUGH_PER_SECOND)
    this.#hasBegun = this.#isEvents
    this.#bytes = 0
    this.#sign = 'progress'
  }

  add(piece: Buffer): void {
    if (!this.#hasBegun) return this.#begin(piece)
    this.#bytes += this.#isOpaque || piece.length > SMALL_PIECE_BYTES ? piece.length : visibleBytes(piece)
    if (this.#bytes < this.#enough && !(this.#isEvents && endsLine(piece))) return
    this.#bytes = 0
    this.#sign = 'progress'
  }

  /** What has arrived since the last call. */
  take(): Sign {
    const sign = this.#sign
    this.#sign = 'none'
    return sign
  }

  #begin(piece: Buffer): void {
    this.#hasBegun = piece.some((byte) => byte > SPACE)
    this.#sign = this.#hasBegun ? 'progress' : this.#sign === 'none' ? 'alive' : this.#sign
  }
}

/** Nearly every arrival ends with a line, so the last byte is looked at first. */
function endsLine(piece: Buffer): boolean {
  return piece[piece.length - 1] === LF || piece.includes(LF)
}

function visibleBytes(piece: Buffer): number {
  let count = 0
  for (const byte of piece) if (byte > SPACE) count++
  return count
}
