import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './client-network.ts'

const NETWORKS: Record<string, string> = {
  '192.0.2.7': '192.0.2.7',
  '2001:db8:1:2:3:4:5:6': '2001:db8:1:2',
  '2001:db8:1:2::9': '2001:db8:1:2',
  '2001:db8::9': '2001:db8:0:0',
  '::1': '0:0:0:0',
  'fe80::1': 'fe80:0:0:0',
  '1::2:3:4:5:6:7': '1:0:2:3',
}

test('a client is its address, or the first 64 bits of an address of IPv6', () => {
  for (const [clientAddress, network] of Object.entries(NETWORKS))
    assert.equal(networkOf({ clientAddress }), network, clientAddress)
  assert.equal(networkOf({ clientAddress: '' }), '')
})
