import { covers, type Network, parseNetworks } from '../addresses/networks.ts'
import { parseAddress } from '../addresses/parse-address.ts'

// Decides on bytes which addresses are public. IPv6 has an allow rule: everything that IANA has not allocated for the
// internet is refused without being listed, which covers mapped (::ffff:0:0/96) and compatible (::/96) IPv4, NAT64
// (64:ff9b::/96, 64:ff9b:1::/48), discard (100::/64), SRv6 (5f00::/16), unique local, link-local, site-local, multicast.

const IPV6_INTERNET = parseNetworks('2000::/3')

const IPV6_SPECIAL = parseNetworks(
  [
    '2001::/23', // protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone ids
    '2001:db8::/32', // documentation
    '2002::/16', // 6to4: an IPv4 address in disguise
    '2620:4f:8000::/48', // AS112, a sink for private reverse names
    '3ffe::/16', // the 6bone, given back
    '3fff::/20', // documentation
  ].join(),
)

const IPV4_SPECIAL = parseNetworks(
  [
    '0.0.0.0/8', // this network
    '10.0.0.0/8', // private
    '100.64.0.0/10', // carrier-grade NAT; a cloud's metadata service is in it
    '127.0.0.0/8', // loopback
    '168.63.129.16/32', // a cloud's host agent, reachable from inside its machines only
    '169.254.0.0/16', // link-local; most metadata services
    '172.16.0.0/12', // private
    '192.0.0.0/24', // protocol assignments; a cloud's metadata service is in it
    '192.0.2.0/24', // documentation
    '192.31.196.0/24', // AS112
    '192.52.193.0/24', // multicast tunnels (AMT)
    '192.88.99.0/24', // 6to4 relays
    '192.168.0.0/16', // private
    '192.175.48.0/24', // AS112
    '198.18.0.0/15', // benchmarking
    '198.51.100.0/24', // documentation
    '203.0.113.0/24', // documentation
    '224.0.0.0/4', // multicast
    '240.0.0.0/4', // reserved, and broadcast
  ].join(),
)

/** A text that is not an address is not public. */
export function isPublic(address: string): boolean {
  const bytes = parseAddress(address)
  if (!bytes) return false
  if (bytes.length === 4) return !isIn(IPV4_SPECIAL, bytes)
  return isIn(IPV6_INTERNET, bytes) && !isIn(IPV6_SPECIAL, bytes)
}

function isIn(networks: Network[], bytes: Uint8Array): boolean {
  return networks.some((network) => covers(network, bytes))
}
