import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenExport, OpenExports } from './open-exports.ts'
import { throughGenerator } from '../../base/bytes/through-generator.ts'
import { ErrorBody } from '../../contract/errors.ts'
import { authorOfRequest } from '../admin/admin-auth.ts'
import { whenClosed } from '../when-closed.ts'

/** Pieces of about this size are written, however short the lines are. */
const PIECE_CHARS = 64 * 1024

type LinesFile = { name: string; type: string }
type ExportContext = { request: FastifyRequest; reply: FastifyReply; openExports: OpenExports }
type Lines = AsyncIterable<string>

export const CSV = 'text/csv; charset=utf-8; header=present'
export const JSON_LINES = 'application/jsonl; charset=utf-8'

/** For /docs, of a route that sends such a file. */
export const TOO_MANY_EXPORTS = { description: 'You have too many exports.', schema: ErrorBody }

/**
 * Sends lines while they are made, as fast as the client takes them. What is refused is refused before the file begins: first
 * an actor with too many exports, then what `start` refuses, which also writes the audit log. A failure in the middle breaks
 * the body, so that the client does not take a part for the whole.
 */
export async function sendLines(
  { request, reply, openExports }: ExportContext,
  { name, type }: LinesFile,
  start: () => Lines | Promise<Lines>,
): Promise<FastifyReply> {
  const slot = openExports.open(authorOfRequest(request).actor, () => reply.raw.destroy())
  whenClosed(reply.raw, slot.leave)
  const rest = pieces(await start())
  const first = await rest.next()
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(
      Readable.from(
        throughGenerator(rest, (pieces) => offered(first, pieces, slot)),
        { objectMode: false },
      ),
    )
}

/** A generator stands at a `yield` until its piece is taken, so that is how long the client has not read. */
async function* offered(
  first: IteratorResult<string, void>,
  rest: AsyncIterable<string>,
  slot: OpenExport,
): AsyncGenerator<string> {
  const pieces = rest[Symbol.asyncIterator]()
  for (let piece = first; !piece.done; piece = await pieces.next()) {
    slot.offer()
    yield piece.value
    slot.taken()
  }
  // What was taken last still has to leave the process.
  slot.offer()
}

async function* pieces(lines: Lines): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < PIECE_CHARS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
