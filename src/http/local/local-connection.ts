import type { IncomingMessage } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'

/** What the gateway's HTTP server uses of a socket. */
type ServerEnd = Duplex & {
  remoteAddress: string | undefined
  localAddress: string | undefined
  localPort: number | undefined
  setTimeout(ms: number): void
  destroySoon(): void
}

/** The resource of ours that asks on a connection inside of this process: a token for that resource is good for what it asks. */
const resources = new WeakMap<object, string>()

export function resourceBehind({ socket }: IncomingMessage): string | undefined {
  return resources.get(socket)
}

/**
 * A connection inside of this process. One end is for the gateway's HTTP server, which takes it for that of the client whose request
 * is given; the other one, which is returned, is written and read by us.
 */
export function connectLocally(server: NodeJS.EventEmitter, { socket }: IncomingMessage, resource?: string): Duplex {
  const [ours, theirs] = duplexPair()
  const { remoteAddress, localAddress, localPort } = socket
  const isEncrypted = 'encrypted' in socket
  const end: ServerEnd = Object.assign(theirs, {
    remoteAddress,
    localAddress,
    localPort,
    ...(isEncrypted && { encrypted: true }),
    setTimeout: silenceTimer(theirs),
    destroySoon: () => theirs.end(() => theirs.destroy()),
  })
  if (resource !== undefined) resources.set(end, resource)
  ours.on('close', () => theirs.destroy())
  theirs.on('close', () => ours.destroy())
  theirs.on('error', () => {})
  server.emit('connection', end)
  return ours
}

/** As of a socket: emits `timeout` if nothing has been read from it for so long. */
function silenceTimer(end: Duplex): (ms: number) => void {
  let timer: NodeJS.Timeout | undefined
  end.on('drain', () => timer?.refresh())
  end.on('close', () => clearTimeout(timer))
  return (ms) => {
    clearTimeout(timer)
    timer = ms > 0 && !end.destroyed ? setTimeout(() => end.emit('timeout'), ms) : undefined
  }
}
