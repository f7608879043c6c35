import { connect as dial, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { buildConnector } from 'undici'
import { literalOf } from './check-url.ts'
import { openDeadline, untilAborted } from './deadline.ts'
import { openTunnel } from '../proxy/open-tunnel.ts'
import type { HttpProxy } from '../proxy/proxy.ts'
import { proxyFailureOf, proxyTooLate } from '../proxy/proxy-failure.ts'
import { portOf } from './ports.ts'
import { EgressFailed, EgressRefused } from './refusal.ts'
import type { Answer } from './resolve-name.ts'

/** How long to try one of several addresses before the next one is tried. */
const NEXT_ADDRESS_MS = 1_000

export type Pinned = {
  url: URL
  addresses: Answer[]
  isGoodPeer: (address: string) => boolean
  connectMs: number
  signal: AbortSignal
  /** The proxy to leave through. It is asked to connect to a checked address, never to a name that it would resolve. */
  proxy?: HttpProxy | undefined
  /** Certificates to trust instead of the system's. */
  ca?: string | undefined
}

/** Opens one socket to the checked addresses and no second one, so that undici never sends a request again by itself. */
export function pinnedConnector(pinned: Pinned): buildConnector.connector {
  let isUsed = false
  return (_options, callback) => {
    if (isUsed) return callback(new EgressFailed('unreachable', 'closed before use'), null)
    isUsed = true
    connect(pinned).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    )
  }
}

async function connect(pinned: Pinned): Promise<Socket> {
  const { proxy, connectMs, signal, url } = pinned
  const deadline = openDeadline(connectMs, signal)
  try {
    const plain = proxy
      ? await connectThrough(proxy, pinned, deadline.signal)
      : await connectTo(pinned, deadline.signal)
    return url.protocol === 'https:' ? await secured(plain, pinned, deadline.signal) : plain
  } finally {
    deadline.close()
  }
}

async function connectTo(pinned: Pinned, signal: AbortSignal): Promise<Socket> {
  const socket = dialPinned(pinned)
  await opened(socket, 'connect', signal)
  if (pinned.isGoodPeer(socket.remoteAddress ?? '')) return socket
  socket.destroy()
  throw new EgressRefused('peer')
}

/** Asks the proxy for one checked address after the other. */
async function connectThrough(proxy: HttpProxy, { url, addresses }: Pinned, signal: AbortSignal): Promise<Socket> {
  let failure: unknown
  for (const { address } of addresses) {
    const socket = dialProxy(proxy)
    try {
      await opened(socket, proxy.isSecure ? 'secureConnect' : 'connect', signal)
      await untilAborted(openTunnel(socket, { host: address, port: portOf(url) }, proxy), signal)
      return socket
    } catch (error) {
      socket.destroy()
      if (signal.aborted) throw isTimeout(signal) ? proxyTooLate(proxy) : error
      failure = proxyFailureOf(proxy, error as Error)
    }
  }
  throw failure
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof EgressFailed && reason.kind === 'timeout'
}

function dialProxy({ host, port, isSecure }: HttpProxy): Socket {
  const servername = isIP(host) ? '' : host
  return isSecure ? secure({ host, port, servername }) : dial({ host, port, noDelay: true })
}

/** Node does not call a lookup function for an IP literal. Literals were already checked as text in the URL. */
function dialPinned({ url, addresses }: Pinned): Socket {
  return dial({
    host: literalOf(url) ?? url.hostname,
    port: portOf(url),
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
  })
}

function answerWith(addresses: Answer[]): LookupFunction {
  return (_name, { all }, callback) => {
    if (all) callback(null, addresses)
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

/** The certificate is checked against the name in the URL, even if the environment disables certificate checks. */
async function secured(socket: Socket, { url, ca }: Pinned, signal: AbortSignal): Promise<Socket> {
  const host = literalOf(url)
  const name = host ? { host } : { servername: url.hostname }
  const tlsSocket = secure({ socket, ...name, ca, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
  await opened(tlsSocket, 'secureConnect', signal)
  return tlsSocket
}

/** Resolves when the socket is open. A socket that does not open is destroyed. */
function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const opening = new Promise<void>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    socket.on('error', reject)
    socket.once('close', () => reject(new EgressFailed('unreachable', 'closed')))
    socket.once(event, resolve)
  })
  return opening.catch((error) => {
    socket.destroy()
    throw error
  })
}
