import { covers, type Network } from '../addresses/networks.ts'
import { parseAddress } from '../addresses/parse-address.ts'

/** A host that is asked for, without brackets. */
type Destination = { hostname: string; port: number }

type Rule = (host: string, address: Uint8Array | undefined) => boolean

const LOOPBACK: Network[] = [
  { bytes: Uint8Array.of(127, 0, 0, 0), prefix: 8 },
  { bytes: parseAddress('::1')!, prefix: 128 },
]

/** Whether a host is this machine: its connections do not leave through a proxy unless the operator asks for that. */
export function isLoopback(hostname: string): boolean {
  const address = parseAddress(hostname)
  if (address) return LOOPBACK.some((network) => covers(network, address))
  return /(^|\.)localhost\.?$/i.test(hostname)
}

/**
 * Reads NO_PROXY: names with all names below them, addresses, networks, each with or without a port, or `*` for everything.
 * Items are separated by commas or spaces. An item that cannot be read matches nothing, as in curl.
 */
export function parseNoProxy(text: string): (destination: Destination) => boolean {
  const items = text.split(/[\s,]+/).filter(Boolean)
  if (items.includes('*')) return () => true
  const rules = items.map((item) => {
    const { host, port } = splitPort(item)
    return { matches: ruleOf(host), port }
  })
  return ({ hostname, port }) => {
    const host = hostname.toLowerCase().replace(/\.$/, '')
    const address = parseAddress(host)
    return rules.some((rule) => (rule.port === undefined || rule.port === port) && rule.matches(host, address))
  }
}

/** The address of an IPv6 item has colons too, so its port follows a bracket. */
function splitPort(item: string): { host: string; port: number | undefined } {
  const [, bracketed, host = item, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(item) ?? []
  return { host: bracketed ?? host, port: digits === undefined ? undefined : Number(digits) }
}

function ruleOf(host: string): Rule {
  const [base = '', prefix] = host.split('/')
  const bytes = parseAddress(base)
  if (bytes) return networkRule(bytes, prefix)
  const name = host
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  return (host) => name !== '' && (host === name || host.endsWith(`.${name}`))
}

function networkRule(bytes: Uint8Array, digits: string | undefined): Rule {
  const all = bytes.length * 8
  const prefix = digits === undefined ? all : /^\d{1,3}$/.test(digits) ? Number(digits) : -1
  if (prefix < 0 || prefix > all) return () => false
  return (_, address) => address !== undefined && covers({ bytes, prefix }, address)
}
