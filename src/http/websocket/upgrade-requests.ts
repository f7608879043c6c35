import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpServices } from '../route.ts'

// A request for a WebSocket goes through the router as every other request: its key, its scopes and its place among the requests of
// its owner are checked, and a refusal is an ordinary answer.

/** Node's types do not have this yet: whether a request for another protocol gets it. */
type WithChoice = Server & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean }

/** What Node hands over with a request for another protocol: from then on, the connection is no longer read as HTTP. */
type Connection = { socket: Duplex; head: Buffer }

const connections = new WeakMap<IncomingMessage, Connection>()

/** Requests for another protocol at other paths stay HTTP: clients of Java ask every server for HTTP/2 in this way. */
export function routeUpgrades(app: FastifyInstance, { routes, rewriteUrl = (url) => url }: HttpServices): void {
  const paths = new Set(routes.filter((route) => route.isWebSocket).map(({ path }) => path))
  if (paths.size === 0) return
  const server: WithChoice = app.server
  server.shouldUpgradeCallback = ({ method, url = '', headers }) =>
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    paths.has(rewriteUrl(url, headers).split('?', 1)[0]!)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    connections.set(request, { socket, head })
    app.routing(request, new UpgradeAnswer(request, socket))
  })
}

/** The connection of a request that has passed all checks. Undefined if the request is plain HTTP. */
export function takeConnection(reply: FastifyReply): Connection | undefined {
  const { raw } = reply
  const connection = connections.get(raw.req)
  if (!connection || !(raw instanceof UpgradeAnswer)) return undefined
  reply.hijack()
  raw.leaveConnection()
  return connection
}

/** Whether a client has got a whole answer. */
export function isAnswered(raw: ServerResponse): boolean {
  return raw.writableFinished || (raw instanceof UpgradeAnswer && raw.isLeft)
}

/** Node makes no answer for such a request. A refusal ends the connection, because nothing else can be read from it. */
class UpgradeAnswer extends ServerResponse {
  isLeft = false
  #isOver = false

  constructor(request: IncomingMessage, socket: Duplex) {
    super(request)
    this.shouldKeepAlive = false
    this.assignSocket(request.socket)
    this.once('finish', () => this.#end(() => socket.end()))
    socket.once('close', () => this.#end(() => {}))
  }

  /** The WebSocket answers with 101 itself. For the log and for the limits of requests, this one is over. */
  leaveConnection(): void {
    this.statusCode = 101
    this.isLeft = true
    this.#end(() => {})
  }

  #end(then: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    this.detachSocket(this.req.socket)
    then()
    this.destroyed = true
    this.emit('close')
  }
}
