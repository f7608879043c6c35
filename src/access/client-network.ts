const GROUPS = 8
const NETWORK_GROUPS = 4

/** Whatever has the socket of a client: it is asked for its address only when it is needed. */
export type Sender = { socket: { remoteAddress?: string | undefined } }

/** The address of a client, or the network that its provider assigned to it: everybody has 2^64 addresses of IPv6. */
export function networkOf({ socket }: Sender): string {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, GROUPS - head.length - tail.length)).fill('0')
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')
}
