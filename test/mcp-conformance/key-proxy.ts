import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Passes requests on with the key of a caller, for programs that cannot send one. `Host` and `Origin` stay as they are. */
export async function startKeyProxy(target: string, key: string): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(target)
  const server = createServer((asked, reply) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` }
    const sent = request({ hostname, port, method: asked.method, path: asked.url, headers, setHost: false })
    sent.on('response', (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    sent.on('error', () => reply.destroy())
    reply.on('close', () => sent.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port: own } = server.address() as AddressInfo
  return { url: `http://localhost:${own}`, close: () => void server.close(() => {}).closeAllConnections() }
}
