import { type ImagesRequest, type ImagesMade, makeImages } from '../../../endpoints/images/images.ts'
import { addHeaders } from '../../common-headers.ts'
import { type OpenReply, closeReply, headersOf, writeHead } from '../../open-reply.ts'
import { drained } from '../../drained.ts'
import { imageEventsReply } from './events-reply.ts'
import { wantsEvents } from './wants-events.ts'

export async function imagesReply(open: OpenReply, fields: ImagesRequest): Promise<void> {
  if (wantsEvents(open.request, fields.request)) await imageEventsReply(open, fields)
  else await wholeImagesReply(open, fields)
}

/**
 * Writes the answer piece by piece: an image's base64 goes from the disk to the socket, as fast as the client accepts it.
 */
async function wholeImagesReply(open: OpenReply, fields: ImagesRequest): Promise<void> {
  const { reply, call, services } = open
  try {
    const made = await makeImages(fields, call, services.calls)
    await writeImages(made, open)
  } catch (error) {
    addHeaders(reply, headersOf(call))
    throw error
  } finally {
    closeReply(open)
  }
}

export async function writeImages(made: ImagesMade, open: OpenReply): Promise<void> {
  const { raw } = open.reply
  const pieces = [...piecesOf(made)]
  const length = String(pieces.reduce((sum, piece) => sum + piece.length, 0))
  const type = 'application/json; charset=utf-8'
  writeHead(open, headersOf(open.call), ['content-type', type, 'content-length', length])
  try {
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) raw.write(piece)
      else for await (const part of piece.read()) if (!raw.write(part)) await drained(open)
    }
    raw.end()
  } catch {
    // The client has left or is stuck, or the disk failed. Closing the connection is the only way left to report that.
    raw.destroy()
  }
}

type Piece = Uint8Array | NonNullable<ImagesMade['data'][number]['base64']>

/** The JSON of an answer, in pieces. Base64 needs no escaping. */
function* piecesOf({ created, data, ...rest }: ImagesMade): Generator<Piece> {
  yield Buffer.from(`{"created":${created},"data":[`)
  for (const [index, { base64, ...reported }] of data.entries()) {
    const { url = null, revised_prompt = null } = reported
    yield Buffer.from(`${index > 0 ? ',' : ''}{"b64_json":${base64 ? '"' : 'null'}`)
    if (base64) yield base64
    yield Buffer.from(`${base64 ? '"' : ''},${JSON.stringify({ url, revised_prompt }).slice(1)}`)
  }
  yield Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
}
