import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import type { Problem } from '../../../contract/problems.ts'
import type { PulledStream } from '../../../calls/pulled-stream.ts'
import { type ImagesRequest, streamImages } from '../../../endpoints/images/images.ts'
import type { ImageStream, SentImage } from '../../../endpoints/images/relay-image.ts'
import type { OpenReply } from '../../open-reply.ts'
import { bodyOf } from '../../problems.ts'
import { type EventFormat, streamReply } from '../../sse.ts'

/** The names of OpenAI's events. */
const NAMES: Record<ImagesRequest['mode'], string> = { generate: 'image_generation', edit: 'image_edit' }

export async function imageEventsReply(open: OpenReply, fields: ImagesRequest): Promise<void> {
  const start = async () => inPieces(await streamImages(fields, open.call, open.services.calls), NAMES[fields.mode])
  await streamReply(open, start, new ImageEventFormat())
}

/** An image goes from the disk to the socket, as fast as the client accepts it. */
function inPieces(images: ImageStream, name: string): PulledStream<string> {
  const pieces = piecesOf(images, name)
  return {
    next: async () => {
      const { done, value } = await pieces.next()
      return done ? undefined : [value]
    },
    leave: (error) => {
      void pieces.return(undefined)
      images.leave(error)
    },
  }
}

async function* piecesOf(images: ImageStream, name: string): AsyncGenerator<string, undefined> {
  for (let sent = await images.next(); sent; sent = await images.next())
    for (const one of sent) yield* eventOf(one, `${name}.${one.kind}`)
}

/** Base64 needs no escaping. */
async function* eventOf({ kind, image, fields }: SentImage, type: string): AsyncGenerator<string, undefined> {
  const { base64, ...reported } = image
  yield `event: ${type}\ndata: {"type":"${type}","b64_json":${base64 ? '"' : 'null'}`
  if (base64) for await (const piece of base64.read()) yield asBuffer(piece).toString('latin1')
  const rest = JSON.stringify(kind === 'completed' ? { ...reported, ...fields } : fields)
  yield `${base64 ? '"' : ''},${rest.slice(1)}\n\n`
}

/** Of events that come in pieces. */
class ImageEventFormat implements EventFormat<string> {
  readonly endsFailuresAbruptly = true
  readonly remembersNothing = true
  #isInside = false

  chunks(pieces: string[]): string {
    const text = pieces.join('')
    this.#isInside = !text.endsWith('\n\n')
    return text
  }

  /** A comment would end up in the middle of an image. */
  silence(): string | undefined {
    return this.#isInside ? '' : undefined
  }

  end(): string {
    return ''
  }

  failure(failure: Problem): string {
    return `${this.#isInside ? '\n\n' : ''}event: error\ndata: ${JSON.stringify(bodyOf(failure))}\n\n`
  }
}
