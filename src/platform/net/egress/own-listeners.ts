import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { contains, parseNetworks } from '../addresses/networks.ts'
import { parseAddress } from '../addresses/parse-address.ts'
import { portOf } from './ports.ts'

export type Listener = { address: string; port: number }

const ANYWHERE = parseNetworks('0.0.0.0/32, ::/128')
const LOCALHOST = ['127.0.0.1', '::1']
const LOOPBACK = parseNetworks('127.0.0.0/8, ::1/128')

/** Whether the address is the gateway itself: a caller must not make it send requests to itself from its own machine. */
export function isOwnListener(address: string, port: number, listeners: readonly Listener[]): boolean {
  return listeners.some((listener) => listener.port === port && isAnsweredBy(listener.address, address))
}

/** Whether a URL leads to the gateway itself, as far as its text says: names other than `localhost` are not looked up. */
export function isOwnUrl(url: string, listeners: readonly Listener[]): boolean {
  const parsed = URL.parse(url)
  if (!parsed) return false
  const host = parsed.hostname.replace(/^\[|\]$/g, '')
  const addresses = host === 'localhost' ? LOCALHOST : isIP(host) ? [host] : []
  return addresses.some((address) => isOwnListener(address, portOf(parsed), listeners))
}

function isAnsweredBy(bound: string, requested: string): boolean {
  if (ANYWHERE.some((network) => contains(network, bound))) return isThisMachine(requested)
  return isSame(bound, requested)
}

function isThisMachine(address: string): boolean {
  if (LOOPBACK.some((network) => contains(network, address))) return true
  return Object.values(networkInterfaces()).some((cards) => cards?.some((card) => isSame(card.address, address)))
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [parseAddress(one), parseAddress(other)]
  return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0
}
