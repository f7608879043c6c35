import type { Network } from './networks.ts'

// A socket that serves IPv4 and IPv6 at once reports IPv4 clients in IPv6 form, `::ffff:192.0.2.7`. Both forms mean the same.

const MAPPED_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)
const PREFIX_BYTES = MAPPED_PREFIX.length
const PREFIX_BITS = PREFIX_BYTES * 8

/** The IPv4 address of a mapped one; other addresses as they are. */
export function unmapped(address: Uint8Array): Uint8Array {
  return isMapped(address) ? address.subarray(PREFIX_BYTES) : address
}

/** The IPv4 network of a mapped one; other networks as they are. */
export function unmappedNetwork({ bytes, prefix }: Network): Network {
  if (prefix < PREFIX_BITS || !isMapped(bytes)) return { bytes, prefix }
  return { bytes: bytes.subarray(PREFIX_BYTES), prefix: prefix - PREFIX_BITS }
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.length > PREFIX_BYTES && MAPPED_PREFIX.every((byte, index) => bytes[index] === byte)
}
