import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from './etag.ts'

/** A text, with the compressed forms that clients have asked for. */
export type Compressed = { type: string; etag: string } & Record<Encoding, () => Promise<Uint8Array>>
type Encoding = 'plain' | 'br' | 'gzip'

/** Half a megabyte takes 0.1 seconds with this quality; the best takes ten times that and saves a tenth. */
const BROTLI_QUALITY = 9

/** Is compressed in threads of Node, once for all who ask: most scripts of the console are never asked for. */
export function compressible(bytes: Uint8Array, type: string, quality = BROTLI_QUALITY): Compressed {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  return {
    type,
    etag: `"${hash('sha256', bytes).slice(0, 32)}"`,
    plain: async () => bytes,
    br: once(() => promisify(brotliCompress)(bytes, { params })),
    gzip: once(() => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })),
  }
}

/** A failure is not kept: the next who asks makes it try again. */
function once(make: () => Promise<Uint8Array>): () => Promise<Uint8Array> {
  let made: Promise<Uint8Array> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Sends the smallest form that the client takes, or a 304 if the client has it. */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  found: Compressed,
): Promise<FastifyReply> {
  reply.headers({ etag: found.etag, vary: 'Accept-Encoding' })
  if (matchesEtag(request.headers['if-none-match'], found.etag)) return reply.code(304).send()
  const { encoding, bytes } = await formFor(request, found)
  if (encoding !== 'plain') reply.header('content-encoding', encoding)
  return reply.header('content-type', found.type).send(bytes)
}

/** Every client takes the plain form, so it is sent if the other one cannot be made, as when memory is short. */
async function formFor({ headers }: FastifyRequest, found: Compressed) {
  const encoding = encodingFor(headers['accept-encoding'])
  try {
    return { encoding, bytes: await found[encoding]() }
  } catch {
    return { encoding: 'plain', bytes: await found.plain() }
  }
}

/** A form with the weight 0 is refused. */
function encodingFor(header: string | undefined): Encoding {
  const accepted = (header ?? '').split(',').map((part) => part.replace(/\s/g, '').toLowerCase())
  const takes = (name: string) =>
    accepted.some((part) => part === name || new RegExp(`^${name};q=(1|0\\.0*[1-9])`).test(part))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'plain'
}
