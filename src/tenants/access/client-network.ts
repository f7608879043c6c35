const GROUPS = 8
const NETWORK_GROUPS = 4

/** A request of a client: it is asked for the client's address only when it is needed. */
export type Sender = { readonly clientAddress: string }

/**
 * The address of a client, or the network that its provider assigned to it: everybody has 2^64 addresses of IPv6. The address
 * is in its usual form (platform/net/addresses/client-address.ts).
 */
export function networkOf({ clientAddress: address }: Sender): string {
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, GROUPS - head.length - tail.length)).fill('0')
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')
}
