import { parseAddress } from './parse-address.ts'

/** A range of addresses of one family, as in `10.0.0.0/8`. */
export type Network = { readonly bytes: Uint8Array; readonly prefix: number }

/** The message is for the operator who wrote the setting. */
export class NetworksError extends Error {}

/** Parses a list such as `127.0.0.0/8, fd00::/8`. An empty text is an empty list. */
export function parseNetworks(text: string): Network[] {
  return text.trim() === '' ? [] : text.split(',').map((part) => parseNetwork(part.trim()))
}

function parseNetwork(text: string): Network {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const bytes = parseAddress(address)
  const prefix = Number(digits)
  if (!bytes) throw new NetworksError(`"${text}" is not a network. Write an address and a prefix, as in 10.0.0.0/8`)
  if (prefix > bytes.length * 8)
    throw new NetworksError(`"${text}": the prefix should be from 0 to ${bytes.length * 8}`)
  if (hasHostBits(bytes, prefix))
    throw new NetworksError(`"${text}" is an address inside a network: the bits after the first ${prefix} should be 0`)
  return { bytes, prefix }
}

/** An IPv4 address in IPv6 form (`::ffff:10.0.0.1`) is in no IPv4 network. Where clients may have that form, `mapped.ts` converts it first. */
export function contains(network: Network, address: string): boolean {
  const bytes = parseAddress(address)
  return bytes !== undefined && covers(network, bytes)
}

export function covers({ bytes, prefix }: Network, address: Uint8Array): boolean {
  return bytes.length === address.length && bytes.every((byte, i) => ((byte ^ address[i]!) & maskOf(i, prefix)) === 0)
}

function hasHostBits(bytes: Uint8Array, prefix: number): boolean {
  return bytes.some((byte, i) => (byte & ~maskOf(i, prefix)) !== 0)
}

/** The bits of the byte at this index that belong to the prefix. */
function maskOf(index: number, prefix: number): number {
  const bits = Math.min(8, Math.max(0, prefix - index * 8))
  return (0xff << (8 - bits)) & 0xff
}
