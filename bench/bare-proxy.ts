// The least a gateway in Node can be, as a program: `node bare-proxy.ts <port> <upstream base URL> <key>`.
// It parses the body, looks the key up, strips the provider from the model, forwards, and pipes the answer back.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'

const KEEP_ALIVE_MS = 120_000

const [port, upstream, key] = process.argv.slice(2)
const address = new URL(`${upstream}/chat/completions`)
const keys = new Map([[`Bearer ${key}`, 'default']])
const pool = new Pool(address.origin)

const server = createServer((request, response) => {
  if (request.method === 'GET') return response.end('ready')
  if (!keys.has(request.headers.authorization ?? '')) return response.writeHead(401).end()
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => forward(Buffer.concat(parts), request, response))
})
server.keepAliveTimeout = KEEP_ALIVE_MS
server.listen(Number(port), '127.0.0.1')

function forward(bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const input = JSON.parse(bytes.toString()) as { model: string }
  input.model = input.model.slice(input.model.indexOf('/') + 1)
  const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' }
  const body = JSON.stringify(input)
  pool.dispatch({ path: address.pathname, method: 'POST', headers, body }, pipeInto(response))
}

function pipeInto(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.on('drain', () => controller.resume())
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client left'))
      })
    },
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, passedOn(headers))
    },
    onResponseData(controller, chunk) {
      if (!response.write(chunk)) controller.pause()
    },
    onResponseEnd() {
      response.end()
    },
    onResponseError(_controller, error) {
      response.destroy(error)
    },
  }
}

function passedOn(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {}
  for (const name of ['content-type', 'content-length']) if (headers[name]) kept[name] = headers[name]
  return kept
}
