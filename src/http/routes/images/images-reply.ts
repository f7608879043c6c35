import { type AskedImages, type ImagesMade, makeImages } from '../../../core/images.ts'
import { addHeaders } from '../../common-headers.ts'
import { type CallLine, closeLine, headersOf, writeHead } from '../../call-line.ts'
import { drained } from '../../drained.ts'

/** Written piece by piece: an image's base64 goes from the disk to the socket, as fast as the client takes it. */
export async function imagesReply(line: CallLine, asked: AskedImages): Promise<void> {
  const { reply, call, house } = line
  try {
    const made = await makeImages(asked, call, house.outside)
    await writeImages(made, line)
  } catch (error) {
    addHeaders(reply, headersOf(call))
    throw error
  } finally {
    closeLine(line)
  }
}

export async function writeImages(made: ImagesMade, line: CallLine): Promise<void> {
  const { raw } = line.reply
  const pieces = [...piecesOf(made)]
  const length = String(pieces.reduce((sum, piece) => sum + piece.length, 0))
  const type = 'application/json; charset=utf-8'
  writeHead(line, headersOf(line.call), ['content-type', type, 'content-length', length])
  try {
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) raw.write(piece)
      else for await (const part of piece.read()) if (!raw.write(part)) await drained(line)
    }
    raw.end()
  } catch {
    // The client has left, or takes nothing more, or the disk failed: there is no other way left to say it.
    raw.destroy()
  }
}

type Piece = Uint8Array | NonNullable<ImagesMade['data'][number]['base64']>

/** The JSON of an answer. Base64 needs no escaping. */
function* piecesOf({ created, data, ...rest }: ImagesMade): Generator<Piece> {
  yield Buffer.from(`{"created":${created},"data":[`)
  for (const [index, { base64, ...told }] of data.entries()) {
    const fields = JSON.stringify(told).slice(1)
    yield Buffer.from(index > 0 ? ',{' : '{')
    if (base64) {
      yield Buffer.from('"b64_json":"')
      yield base64
      yield Buffer.from(fields === '}' ? '"' : '",')
    }
    yield Buffer.from(fields)
  }
  yield Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
}
