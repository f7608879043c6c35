import { SocketAddress } from 'node:net'
import { unmapped, unmappedNetwork } from './mapped.ts'
import { covers, type Network } from './networks.ts'
import { parseAddress } from './parse-address.ts'

/** The proxies of the operator, and what they say about clients. A socket that was closed has no address any more. */
export type TrustedProxies = {
  isTrusted(address: string | undefined): boolean
  /**
   * The address of the client in its usual form. `hops` are the addresses of the connection and of `X-Forwarded-For` from its end,
   * up to the first one that is not trusted.
   */
  clientOf(hops: readonly (string | undefined)[]): string
}

/**
 * Every proxy appends the address that it was called from to `X-Forwarded-For`, and a client can send the header itself. So it is
 * read from its end, and each address is believed only if everything behind it belongs to trusted proxies.
 */
export function trustProxies(networks: readonly Network[]): TrustedProxies {
  const proxies = networks.map(unmappedNetwork)
  return {
    isTrusted: (address) => {
      const bytes = proxies.length === 0 ? undefined : bytesOf(addressIn(address))
      return bytes !== undefined && proxies.some((network) => covers(network, bytes))
    },
    // What is not an address was not written by a proxy: the last address that a proxy vouches for is all that is known.
    clientOf: (hops) => {
      const last = hops.findLast((hop) => bytesOf(addressIn(hop)) !== undefined)
      return last === undefined ? '' : textOf(bytesOf(addressIn(last))!)
    },
  }
}

/** Some proxies append the port of their client too, and a connection may name its interface (`fe80::1%eth0`). */
function addressIn(hop = ''): string {
  const text = hop.trim().replace(/%.*/, '')
  const [, address = text] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? []
  return address
}

function bytesOf(address: string): Uint8Array | undefined {
  const bytes = parseAddress(address)
  return bytes && unmapped(bytes)
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bytes[2 * index]! << 8) | bytes[2 * index + 1]!).toString(16),
  )
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}
