import type { Socket } from 'node:net'
import { GrowingBytes } from '../../../base/bytes/growing-bytes.ts'
import type { HttpProxy } from './proxy.ts'
import { ProxyFailure, proxyFailureOf, proxyRefusal } from './proxy-failure.ts'

const HEAD_END = '\r\n\r\n'
/** Proxies answer with a line or two. */
const MAX_HEAD_BYTES = 16 * 1024
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |\r\n|$)/

/**
 * Asks the proxy at the other end of a connected socket to connect it with a host and a port. Afterwards every byte belongs
 * to the two ends. Rejects with ProxyFailure; the caller closes the socket, and limits the time.
 */
export function openTunnel(
  socket: Socket,
  { host, port }: { host: string; port: number },
  proxy: HttpProxy,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const head = new GrowingBytes()
  const read = (bytes: Buffer) => {
    try {
      if (isOpened(head, bytes, proxy)) resolve()
    } catch (error) {
      reject(error)
    }
  }
  const closed = () => reject(new ProxyFailure(proxy, 'closed the connection instead of opening one to the provider'))
  const failed = (error: Error) => reject(proxyFailureOf(proxy, error))
  socket.on('data', read).once('end', closed).once('close', closed).once('error', failed)
  socket.write(connectRequest(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, proxy), 'latin1')
  return promise.finally(() => socket.off('data', read).off('end', closed).off('close', closed).off('error', failed))
}

function connectRequest(authority: string, { authorization }: HttpProxy): string {
  const login = authorization ? `proxy-authorization: ${authorization}\r\n` : ''
  return `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${login}\r\n`
}

/** Whether the answer is complete. Throws if it is no success. */
function isOpened(head: GrowingBytes, bytes: Buffer, proxy: HttpProxy): boolean {
  const previousLength = head.length
  head.append(bytes)
  const end = head.bytes.indexOf(HEAD_END, Math.max(0, previousLength - HEAD_END.length + 1), 'latin1')
  if (end > MAX_HEAD_BYTES || (end < 0 && head.length > MAX_HEAD_BYTES))
    throw new ProxyFailure(proxy, 'sent an answer that is too long')
  if (end < 0) return false
  const status = Number(STATUS_LINE.exec(head.bytes.toString('latin1', 0, end))?.[1])
  if (Number.isNaN(status) || status < 200) throw new ProxyFailure(proxy, 'sent an answer that is not valid HTTP')
  if (status > 299) throw proxyRefusal(proxy, status)
  // The provider speaks only after we have: these bytes cannot come from there.
  if (head.length > end + HEAD_END.length) throw new ProxyFailure(proxy, 'sent bytes after its answer')
  return true
}
