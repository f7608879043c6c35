import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { throughGenerator } from '../../base/bytes/through-generator.ts'
import type { Call } from '../../calls/call.ts'
import { ImageJsonReader, PROVIDER } from '../../calls/files/image-json-reader.ts'
import type { TempBytes } from '../../calls/files/temp-file-writer.ts'
import type { TempFiles } from '../../calls/files/temp-files.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { EventReader } from '../../platform/net/event-reader.ts'
import type { ImageEvent, ImageEventCodec } from '../../translation/dialects/image-codec.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireEvent } from '../../translation/wire/wire.ts'

const LF = 0x0a
const BLOCK_BYTES = 64 * 1024
/** Far more than the events of one image. */
const MAX_EVENTS = 10_000
const SAYS_NOTHING = 'the provider sends events that say nothing about an image'

/** The events of a streamed image, read as they arrive. The base64 of their images is in temp files. */
export class ImageEvents {
  /** The temp files, by the marks that the decoder finds in their place. */
  readonly longs: ReadonlyMap<string, TempBytes>
  readonly #codec: ImageEventCodec
  readonly #reader: EventReader
  #batch: WireEvent[] = []
  #read = 0

  constructor(
    body: AsyncIterable<Uint8Array>,
    { codec, tempFiles }: { codec: ImageEventCodec; tempFiles: TempFiles },
    { caller }: Call,
    services: Pick<CallServices, 'newId' | 'loopSlot'>,
  ) {
    const json = new ImageJsonReader(tempFiles, services.newId(), PROVIDER)
    this.#codec = codec
    this.longs = json.longs
    this.#reader = new EventReader(throughGenerator(body, withMarks))

    async function* withMarks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const block of upToLineEnds(pieces)) {
        await json.push(block)
        await services.loopSlot(caller.owner)
        yield* json.takeKept()
      }
      yield json.end()
    }
  }

  /** Undefined if the body has ended. */
  async next(): Promise<ImageEvent | undefined> {
    for (;;) {
      const event = this.#batch.shift()
      const decoded = event && this.#codec.decode(event)
      if (decoded) return decoded
      if (event && ++this.#read > MAX_EVENTS) throw new UpstreamProblem('garbage', SAYS_NOTHING)
      if (event) continue
      const batch = await this.#reader.next()
      if (!batch) return undefined
      this.#batch = batch
    }
  }

  /** Stops the provider, if it has not ended. */
  close(): void {
    this.#reader.close()
  }
}

/** Small pieces are collected, so that no byte is written to the disk alone, and passed on when a line ends, so that no event waits. */
async function* upToLineEnds(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffered = new ByteQueue()
  for await (const piece of pieces) {
    buffered.push(piece, true)
    if (buffered.length >= BLOCK_BYTES || piece.includes(LF)) yield* buffered.takePieces()
  }
  yield* buffered.takePieces()
}
