import { EventEmitter, once } from 'node:events'
import {
  createServer,
  request as requestHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Post } from '../../src/jobs/webhooks/deliverer.ts'

export type Received = { path: string; headers: IncomingHttpHeaders; rawHeaders: string[]; body: Buffer }

type Answer = (response: ServerResponse, received: Received) => void | Promise<void>

/** A receiver of webhooks on a port of its own. By default the path decides its answer: see ANSWERS. */
export async function startReceiver(answer: Answer = answerByPath) {
  const received: Received[] = []
  const arrivals = new EventEmitter()
  const server = createServer(async (incoming, response) => {
    const chunks = await incoming.toArray()
    const { headers, rawHeaders, url: path = '' } = incoming
    received.push({ path, headers, rawHeaders, body: Buffer.concat(chunks) })
    arrivals.emit(path)
    await answer(response, received.at(-1)!)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, arrivals, stop }

  async function stop() {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
}

const ANSWERS: Record<string, Answer> = {
  '/reset': (response) => void response.socket!.resetAndDestroy(),
  '/silent': () => {},
}

/** `/503` answers with that status. */
function answerByPath(response: ServerResponse, received: Received) {
  const known = ANSWERS[received.path]
  if (known) return known(response, received)
  response.writeHead(Number(received.path.slice(1)) || 200, { location: '/200' }).end()
}

/** The simplest way to send a webhook. The gateway itself also checks addresses. */
export const plainPost: Post = async ({ method, url, headers, body }, { timeoutMs, signal }) => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const length = { 'content-length': Buffer.byteLength(body!) }
  const sent = send(url, { method, headers: { ...headers, ...length }, signal: limit, agent: false }).end(body)
  const [response] = (await once(sent, 'response').catch((error) => {
    throw limit.reason ?? error
  })) as [IncomingMessage]
  response.resume()
  return { status: response.statusCode! }
}
