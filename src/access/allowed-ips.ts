import { problem } from '../contract/problems.ts'
import { covers, type Network, NetworksError, parseNetworks } from '../net/addresses/networks.ts'
import { parseAddress } from '../net/addresses/parse-address.ts'
import type { Caller } from './caller.ts'

// The addresses that a key may be used from. A socket that serves IPv4 and IPv6 at once reports IPv4 clients in IPv6 form
// (`::ffff:10.0.0.1`), so both forms of an address mean the same here.

/** `client` is asked for its address only if the key is restricted. */
export function mayComeFrom({ allowedIps }: Pick<Caller, 'allowedIps'>, client: { readonly ip: string }): boolean {
  if (allowedIps === null) return true
  const address = parseAddress((client.ip ?? '').replace(/%.*$/, ''))
  if (!address) return false
  const plain = isMapped(address) ? address.subarray(MAPPED_BYTES) : address
  return networksOf(allowedIps).some((network) => covers(network, plain))
}

/** Checks the list of a new key: an item that nobody can match would lock its users out. */
export function checkAllowedIps(items: readonly string[]): void {
  for (const [index, item] of items.entries()) {
    try {
      parseItem(item)
    } catch (error) {
      if (!(error instanceof NetworksError)) throw error
      const loc = ['body', 'allowed_ips', index]
      throw problem('validation_error', {
        message: `allowed_ips.${index}: ${error.message}`,
        param: `allowed_ips.${index}`,
        detail: [{ loc, msg: error.message, type: 'value_error' }],
      })
    }
  }
}

const parsed = new WeakMap<readonly string[], readonly Network[]>()

/** Lists are checked before they are stored. An item that somebody wrote into the store by hand and is wrong allows nobody. */
function networksOf(items: readonly string[]): readonly Network[] {
  const known = parsed.get(items)
  if (known) return known
  const networks = items.flatMap((item) => {
    try {
      return [parseItem(item)]
    } catch {
      return []
    }
  })
  parsed.set(items, networks)
  return networks
}

/** A network such as `10.0.0.0/8`, or a single address. */
function parseItem(text: string): Network {
  const address = parseAddress(text)
  if (address) return unmapped({ bytes: address, prefix: address.length * 8 })
  if (text.includes(',') || text.trim() === '') throw new NetworksError('Write one network in each item of the list')
  return unmapped(parseNetworks(text)[0]!)
}

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
const MAPPED_BYTES = MAPPED_PREFIX.length

function unmapped(network: Network): Network {
  const { bytes, prefix } = network
  if (prefix < MAPPED_BYTES * 8 || !isMapped(bytes)) return network
  return { bytes: bytes.subarray(MAPPED_BYTES), prefix: prefix - MAPPED_BYTES * 8 }
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && MAPPED_PREFIX.every((byte, index) => bytes[index] === byte)
}
