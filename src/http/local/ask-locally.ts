import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http'
import { problem } from '../../contract/problems.ts'
import { COPIES_OF_ANSWER, type MemoryLease, UNCOUNTED_BYTES } from '../../calls/memory-budget.ts'
import { connectLocally } from './local-connection.ts'
import { repeatedHeaders } from './repeated-headers.ts'

type LocalRequest = {
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array | undefined
}

type LocalAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

type Asker = {
  /** The request of the client, whose key and address the new one has. */
  opening: IncomingMessage
  server: NodeJS.EventEmitter
  /** Ends the request inside of the process as if its client had left. */
  signal: AbortSignal
  memory: MemoryLease
  maxBytes: number
  /** The resource of ours that asks, for which a token may have been made. */
  resource: string
}

/** Headers of the answer that the outer client wants, and of the protocol in which it asks. */
const OF_OUTER = /^(?:accept|accept-encoding|cookie|if-none-match|last-event-id|mcp-.*|x-gatehouse-metadata)$/

/**
 * Asks a route of the gateway on a connection inside of this process, in the name of the client that asks us. So keys, scopes,
 * limits, validation, the log and the ledger treat the request as every other.
 */
export async function askLocally(request: LocalRequest, asker: Asker): Promise<LocalAnswer> {
  const { opening, server, signal } = asker
  signal.throwIfAborted()
  const connection = connectLocally(server, opening, asker.resource)
  const hangUp = () => connection.destroy()
  signal.addEventListener('abort', hangUp, { once: true })
  try {
    const sent = httpRequest({
      method: request.method,
      path: request.path,
      headers: headersOf(request, opening),
      createConnection: () => connection,
    })
    sent.end(request.body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bodyOf(answer, asker) }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', hangUp)
    connection.destroy()
  }
}

function headersOf({ headers = {}, body }: LocalRequest, opening: IncomingMessage): string[] {
  const own = Object.keys(headers)
  const replaced = own.length === 0 ? OF_OUTER : new RegExp(`${OF_OUTER.source}|^(?:${own.join('|')})$`)
  return [
    ...repeatedHeaders(opening, replaced),
    ...Object.entries(headers).flat(),
    ...(body ? ['content-length', String(body.byteLength)] : []),
  ]
}

/** The memory is reserved before the bytes are kept. */
async function bodyOf(answer: IncomingMessage, { memory, maxBytes }: Asker): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of answer) {
    bytes += piece.length
    if (bytes > maxBytes) throw problem('too_large', { message: 'The result is too large for a tool.' })
    if (bytes > UNCOUNTED_BYTES) await memory.hold(piece.length * COPIES_OF_ANSWER)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, bytes)
}
