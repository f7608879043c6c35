import { connect as dial, type LookupFunction, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { buildConnector } from 'undici'
import { literalOf } from './check-url.ts'
import { openDeadline } from './deadline.ts'
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
  const deadline = openDeadline(pinned.connectMs, pinned.signal)
  const plain = dialPinned(pinned)
  try {
    await opened(plain, 'connect', deadline.signal)
    if (!pinned.isGoodPeer(plain.remoteAddress ?? '')) throw new EgressRefused('peer')
    return pinned.url.protocol === 'https:' ? await secured(plain, pinned, deadline.signal) : plain
  } catch (error) {
    plain.destroy()
    throw error
  } finally {
    deadline.close()
  }
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

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    socket.on('error', reject)
    socket.once('close', () => reject(new EgressFailed('unreachable', 'closed')))
    socket.once(event, resolve)
  })
}
