import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddresses } from './client-address.ts'
import { parseNetworks } from './networks.ts'

const TRUSTED = '10.0.0.0/8, 192.0.2.7/32, 2001:db8:1::/48, ::1/128'
const find = clientAddresses(parseNetworks(TRUSTED))

/** The peer, the header, and the client. */
const ROWS: [string | undefined, string | undefined, string][] = [
  // A peer that is no proxy can write what it likes.
  ['198.51.100.9', '203.0.113.5', '198.51.100.9'],
  ['198.51.100.9', '10.0.0.1', '198.51.100.9'],
  ['::ffff:198.51.100.9', '203.0.113.5', '198.51.100.9'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', '', '10.0.0.1'],
  // The last address that no trusted proxy has.
  ['10.0.0.1', '203.0.113.5', '203.0.113.5'],
  ['10.0.0.1', '1.1.1.1, 203.0.113.5', '203.0.113.5'],
  ['10.0.0.1', '1.1.1.1, 203.0.113.5, 10.2.3.4,192.0.2.7 ', '203.0.113.5'],
  ['10.0.0.1', '127.0.0.1, 203.0.113.5', '203.0.113.5'],
  ['::ffff:10.0.0.1', '203.0.113.5', '203.0.113.5'],
  ['::ffff:a00:1', '::ffff:203.0.113.5', '203.0.113.5'],
  ['2001:db8:1::5', '2001:DB8:9:0:0::1', '2001:db8:9::1'],
  ['2001:db8:2::5', '2001:db8:9::1', '2001:db8:2::5'],
  ['::1', '[2001:db8:9::1]:4711', '2001:db8:9::1'],
  ['::1', '[2001:db8:9::1]', '2001:db8:9::1'],
  ['10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
  // Proxies only: the one that is farthest away.
  ['10.0.0.1', '10.9.9.9, 10.0.0.2', '10.9.9.9'],
  // What is no address ends the search at the proxy that sent it.
  ['10.0.0.1', 'unknown', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.5, _hidden, 10.0.0.2', '10.0.0.2'],
  ['10.0.0.1', '203.0.113.5, ', '10.0.0.1'],
  ['10.0.0.1', ',,,', '10.0.0.1'],
  ['10.0.0.1', '010.0.0.2', '10.0.0.1'],
  ['10.0.0.1', '0x7f000001', '10.0.0.1'],
  ['10.0.0.1', 'fe80::1%eth0', '10.0.0.1'],
  ['10.0.0.1', '<script>alert(1)</script>', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.5 10.0.0.2', '10.0.0.1'],
  ['10.0.0.1', '[203.0.113.5', '10.0.0.1'],
  ['10.0.0.1', '"203.0.113.5"', '10.0.0.1'],
  // Sockets.
  ['fe80::1%eth0', '203.0.113.5', 'fe80::1'],
  [undefined, '203.0.113.5', ''],
]

test('the client is the last address before the trusted proxies, and a client cannot invent it', () => {
  for (const [peer, forwarded, client] of ROWS)
    assert.equal(find(peer, forwarded), client, `${peer} with ${JSON.stringify(forwarded)}`)
})

test('without trusted proxies the header is ignored', () => {
  const nobody = clientAddresses([])
  for (const [peer] of ROWS) assert.equal(nobody(peer, '203.0.113.5'), find(peer, undefined))
})

test('a network of proxies may be written in IPv6 form', () => {
  const mapped = clientAddresses(parseNetworks('::ffff:10.0.0.0/104'))
  assert.equal(mapped('10.0.0.1', '203.0.113.5'), '203.0.113.5')
  assert.equal(mapped('11.0.0.1', '203.0.113.5'), '11.0.0.1')
})

test('the longest header that Node accepts takes no longer than its length', () => {
  const forged = `${'10.0.0.2,'.repeat(1_800)}10.0.0.3`
  assert.equal(find('10.0.0.1', `203.0.113.5, ${forged}`), '203.0.113.5')
})
