import { throughGenerator } from '../../base/bytes/through-generator.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'

/** The event that tells the client that everything has been said. In a text, its quotes would be escaped. */
const MARK = /"type"\s*:\s*"(?:speech\.audio|transcript\.text)\.done"|^data: ?\[DONE\]/m
const MARK_CHARS = 100
const BLANK_LINE = /\r?\n\r?\n/
const BLANK_LINE_CHARS = 3

/** Finds the last event in a body of events that is passed on in pieces. */
class LastEvent {
  /** The end of what was read, in which a mark or a blank line may have begun. */
  #rest = ''
  state: 'before' | 'inside' | 'complete' = 'before'

  /** At the end of a body: its last event may lack the blank line, but not the end of its data. */
  get isWhole(): boolean {
    return this.state === 'complete' || (this.state === 'inside' && /[}\]]\s*$/.test(this.#rest))
  }

  add(chunk: Uint8Array): void {
    let text = this.#rest + Buffer.from(chunk).toString('latin1')
    if (this.state === 'before') {
      const mark = text.search(MARK)
      if (mark >= 0) this.state = 'inside'
      text = text.slice(mark >= 0 ? mark : -MARK_CHARS)
    }
    if (this.state === 'inside' && BLANK_LINE.test(text)) this.state = 'complete'
    this.#rest = this.state === 'before' ? text : text.slice(-BLANK_LINE_CHARS)
  }
}

/**
 * Passes events on unchanged. Before the client can read the whole last one, `onLast` is called, so that what the client
 * knows to be over is in the ledger.
 */
export function withLastEvent(
  body: AsyncIterable<Uint8Array>,
  watcher: EventWatcher,
): AsyncIterableIterator<Uint8Array> {
  return throughGenerator(body, (pieces) => watched(pieces, watcher))
}

type EventWatcher = { onChunk(chunk: Uint8Array): void; onLast(): void }

async function* watched(
  body: AsyncIterable<Uint8Array>,
  { onChunk, onLast }: EventWatcher,
): AsyncGenerator<Uint8Array> {
  const last = new LastEvent()
  for await (const chunk of body) {
    onChunk(chunk)
    const before = last.state
    if (before !== 'complete') last.add(chunk)
    if (before !== 'complete' && last.state === 'complete') onLast()
    yield chunk
  }
  if (!last.isWhole) throw new UpstreamProblem('cut', 'the events ended before the last one')
  if (last.state !== 'complete') onLast()
}
