import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Pieces of about this size are written, however short the lines are. */
const PIECE_CHARS = 64 * 1024

type LinesFile = { name: string; type: string }

export const CSV = 'text/csv; charset=utf-8; header=present'
export const JSON_LINES = 'application/jsonl; charset=utf-8'

/**
 * Sends lines while they are made, as fast as the client takes them. What is refused is refused before the file begins. A
 * failure in the middle breaks the body, so that nobody takes a part for the whole.
 */
export async function sendLines(
  reply: FastifyReply,
  { name, type }: LinesFile,
  lines: AsyncIterable<string>,
): Promise<FastifyReply> {
  const rest = pieces(lines)
  const first = await rest.next()
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(joined(first, rest), { objectMode: false }))
}

async function* joined(first: IteratorResult<string, void>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}

async function* pieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < PIECE_CHARS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
