import { createParser } from 'eventsource-parser'
import { type WireEvent, WireFailure } from '../contract/wire.ts'

/** One line or event longer than this is no stream of tokens any more; image events stay far below. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024

/**
 * Server-sent events of a body, batched as the bytes arrived: one network read is one batch, so that what came in one
 * packet can leave in one write. UTF-8 is decoded as a stream; a character cut by a packet border stays whole.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<WireEvent[]> {
  const decoder = new TextDecoder()
  let batch: WireEvent[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => batch.push(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw new WireFailure('protocol', error)
    },
  })
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }))
    if (batch.length === 0) continue
    yield batch
    batch = []
  }
  // A last event whose blank line never came: an honest sender always ends it, so it is fed as if it had been.
  parser.feed(`${decoder.decode()}\n\n`)
  if (batch.length > 0) yield batch
}
