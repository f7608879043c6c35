import { isPublic } from './address.ts'
import { contains, type Network } from '../addresses/networks.ts'
import { isOwnListener, type Listener } from './own-listeners.ts'
import { portOf } from './ports.ts'

export type Policy = {
  /** Networks that may be reached although they are not public. Plain http is allowed only there. */
  allow: readonly Network[]
  /** Where the gateway itself listens. */
  ownListeners: () => readonly Listener[]
}

/**
 * The only rule for addresses. It is applied to a literal, to every answer of the resolver, and to the peer once connected.
 */
export function mayReach(address: string, url: URL, { allow, ownListeners }: Policy): boolean {
  if (isOwnListener(address, portOf(url), ownListeners())) return false
  if (allow.some((network) => contains(network, address))) return true
  return url.protocol === 'https:' && isPublic(address)
}
