import type { ImagesMade } from '../../../core/images.ts'
import { addHeaders } from '../../common-headers.ts'
import { type CallLine, closeLine, headersOf, writeHead } from '../../call-line.ts'

/** Written piece by piece: an image's base64 goes to the socket as it came from the provider, without being copied. */
export async function imagesReply(line: CallLine, answer: () => Promise<ImagesMade>): Promise<void> {
  const { reply, call } = line
  try {
    const pieces = [...piecesOf(await answer())]
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    writeHead(line, headersOf(call), [
      'content-type',
      'application/json; charset=utf-8',
      'content-length',
      String(length),
    ])
    for (const piece of pieces) reply.raw.write(piece)
    reply.raw.end()
  } catch (error) {
    addHeaders(reply, headersOf(call))
    throw error
  } finally {
    closeLine(line)
  }
}

/** The JSON of an answer. Base64 needs no escaping. */
function* piecesOf({ created, data, ...rest }: ImagesMade): Generator<Uint8Array> {
  yield Buffer.from(`{"created":${created},"data":[`)
  for (const [index, { base64, ...told }] of data.entries()) {
    const fields = JSON.stringify(told).slice(1)
    yield Buffer.from(index > 0 ? ',{' : '{')
    if (base64) {
      yield Buffer.from('"b64_json":"')
      yield* base64
      yield Buffer.from(fields === '}' ? '"' : '",')
    }
    yield Buffer.from(fields)
  }
  yield Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
}
