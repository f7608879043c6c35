import { SocketAddress } from 'node:net'
import { covers, type Network } from './networks.ts'
import { parseAddress } from './parse-address.ts'

/** Returns the address of the client, in its usual form, from the address of the connection and `X-Forwarded-For`. */
export type FindClientAddress = (peer: string | undefined, forwarded: string | undefined) => string

/** The first 12 bytes of an IPv4 address in IPv6 form, `::ffff:192.0.2.7`. */
const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)
const MAPPED_BITS = MAPPED.length * 8

/**
 * Every proxy appends the address that it was called from to `X-Forwarded-For`, and a client can send the header itself. So it is
 * read from its end, and each address is believed only if everything behind it belongs to trusted proxies.
 */
export function clientAddresses(trusted: readonly Network[]): FindClientAddress {
  const proxies = trusted.map(unmappedNetwork)
  const isTrusted = (address: Uint8Array) => proxies.some((network) => covers(network, address))
  return (peer = '', forwarded = '') => {
    const bytes = bytesOf(peer.replace(/%.*/, ''))
    if (!bytes) return ''
    const hops = forwarded === '' || proxies.length === 0 ? [] : forwarded.split(',').reverse()
    return textOf(lastBelieved(bytes, hops, isTrusted))
  }
}

function lastBelieved(peer: Uint8Array, hops: string[], isTrusted: (address: Uint8Array) => boolean): Uint8Array {
  let client = peer
  for (const hop of hops) {
    const next: Uint8Array | undefined = isTrusted(client) ? bytesOf(addressIn(hop)) : undefined
    // What is not an address was not written by a proxy: the last address that a proxy vouches for is all that is known.
    if (!next) break
    client = next
  }
  return client
}

/** Some proxies append the port of their client too. */
function addressIn(hop: string): string {
  const text = hop.trim()
  const [, address = text] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? []
  return address
}

function bytesOf(address: string): Uint8Array | undefined {
  const bytes = parseAddress(address)
  return bytes && isMapped(bytes) ? bytes.subarray(MAPPED.length) : bytes
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.length > MAPPED.length && MAPPED.every((byte, index) => bytes[index] === byte)
}

function unmappedNetwork({ bytes, prefix }: Network): Network {
  if (prefix < MAPPED_BITS || !isMapped(bytes)) return { bytes, prefix }
  return { bytes: bytes.subarray(MAPPED.length), prefix: prefix - MAPPED_BITS }
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bytes[2 * index]! << 8) | bytes[2 * index + 1]!).toString(16),
  )
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}
