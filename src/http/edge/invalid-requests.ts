import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { EdgeServices } from '../edge-services.ts'
import { problem } from '../../contract/problems.ts'
import { lastAnswer, rawAnswer } from '../problems.ts'
import { isRefused } from '../refuse-framing.ts'

/** Requests that were answered before their bodies had arrived. */
const answeredEarly = new WeakMap<Socket, IncomingMessage>()

export function noteAnswer(request: IncomingMessage): void {
  if (!request.complete) answeredEarly.set(request.socket, request)
}

/** Bytes that are not HTTP get a plain 400 (or 408, 431) and a closed connection. A request gets no second answer. */
export function invalidRequestHandler({ proxies }: Pick<EdgeServices, 'proxies'>, log: Logger) {
  return (error: NodeJS.ErrnoException, socket: Socket) => {
    if (isRefused(socket)) return
    // Nothing can be written to a client that did not complete the TLS handshake.
    if (error.code?.startsWith('ERR_SSL_') || error.code?.startsWith('ERR_TLS_')) return void socket.destroy()
    if (answeredEarly.get(socket)?.complete === false) return socket.destroySoon()
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
    if (socket.bytesRead === 0) return void setImmediate(closeUnused, socket)
    const message = 'The request is not valid HTTP, too slow, or its headers are too large.'
    const status = STATUSES[error.code ?? ''] ?? 400
    const client = proxies.clientOf([socket.remoteAddress])
    log.info({ status, code: error.code, client }, 'not a valid request')
    socket.end(rawAnswer(problem('bad_request', { message, status })))
  }
}

/** Node would answer an Expect header other than `100-continue` with a 417 that has no body. */
export function refuseExpectations(server: Server, log: Logger): void {
  const refusal = problem('bad_request', { message: 'Send no Expect header other than `100-continue`.', status: 417 })
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    log.info({ status: refusal.status }, 'an expectation was refused')
    const { headers, body } = lastAnswer(refusal)
    response.writeHead(refusal.status, headers).end(body)
  })
}

/**
 * Clients open connections before they need them, and would take a 408 for the answer to a request that they send just now.
 * The first bytes may even have arrived, if the event loop was too busy to read them: by now it has read them.
 */
function closeUnused(socket: Socket): void {
  if (socket.bytesRead === 0) socket.destroy()
}

const STATUSES: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }
