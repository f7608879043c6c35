import { problem } from '../../contract/problems.ts'
import { unmapped, unmappedNetwork } from '../../platform/net/addresses/mapped.ts'
import { covers, type Network, NetworksError, parseNetworks } from '../../platform/net/addresses/networks.ts'
import { parseAddress } from '../../platform/net/addresses/parse-address.ts'
import type { Caller } from './caller.ts'
import type { Sender } from './client-network.ts'

// The addresses that a key may be used from.

/** `client` is asked for its address only if the key is restricted. */
export function mayComeFrom({ allowedIps }: Pick<Caller, 'allowedIps'>, client: Sender): boolean {
  if (allowedIps === null) return true
  const address = parseAddress(client.clientAddress.replace(/%.*$/, ''))
  return address !== undefined && networksOf(allowedIps).some((network) => covers(network, unmapped(address)))
}

/** Checks the list of a new key: an item that no address can match would lock the key's users out. */
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

/**
 * Lists are checked before they are stored. An invalid item can only have been written into the store by hand; it allows no
 * address.
 */
function networksOf(items: readonly string[]): readonly Network[] {
  const cached = parsed.get(items)
  if (cached) return cached
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
  if (address) return unmappedNetwork({ bytes: address, prefix: address.length * 8 })
  if (text.includes(',') || text.trim() === '') throw new NetworksError('Write one network in each item of the list')
  return unmappedNetwork(parseNetworks(text)[0]!)
}
