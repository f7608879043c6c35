import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { trustProxies } from './client-address.ts'
import { parseNetworks } from './networks.ts'

const TRUSTED = '10.0.0.0/8, 192.0.2.7/32, 2001:db8:1::/48, ::1/128'

/** The peer, the header, and the client. */
const ROWS: [string, string | undefined, string][] = [
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
  ['10.0.0.1', '203.0.113.5, ', '203.0.113.5'],
  ['10.0.0.1', '203.0.113.5, , unknown', '10.0.0.1'],
  ['10.0.0.1', ',,,', '10.0.0.1'],
  ['10.0.0.1', '010.0.0.2', '10.0.0.1'],
  ['10.0.0.1', '0x7f000001', '10.0.0.1'],
  ['10.0.0.1', '<script>alert(1)</script>', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.5 10.0.0.2', '10.0.0.1'],
  ['10.0.0.1', '[203.0.113.5', '10.0.0.1'],
  ['10.0.0.1', '"203.0.113.5"', '10.0.0.1'],
  // Sockets.
  ['fe80::1%eth0', '203.0.113.5', 'fe80::1'],
]

test('the client is the last address before the trusted proxies, and a client cannot invent it', async () => {
  const find = finder(TRUSTED)
  for (const [peer, forwarded, client] of ROWS)
    assert.equal(await find(peer, forwarded), client, `${peer} with ${JSON.stringify(forwarded)}`)
})

test('a socket that was closed has no address, and reading it throws no error', () => {
  const { isTrusted, clientOf } = trustProxies(parseNetworks(TRUSTED))
  assert.deepEqual([isTrusted(undefined), clientOf([undefined]), clientOf([])], [false, '', ''])
})

test('without trusted proxies the header is ignored', async () => {
  const [find, direct] = [finder(''), finder(TRUSTED)]
  for (const [peer] of ROWS) assert.equal(await find(peer, '203.0.113.5'), await direct(peer, undefined))
})

test('a network of proxies may be written in IPv6 form', async () => {
  const find = finder('::ffff:10.0.0.0/104')
  assert.equal(await find('10.0.0.1', '203.0.113.5'), '203.0.113.5')
  assert.equal(await find('11.0.0.1', '203.0.113.5'), '11.0.0.1')
})

test('the longest header that Node accepts takes no longer than its length', async () => {
  const forged = `${'10.0.0.2,'.repeat(1_800)}10.0.0.3`
  assert.equal(await finder(TRUSTED)('10.0.0.1', `203.0.113.5, ${forged}`), '203.0.113.5')
})

/** Fastify walks through the header, as in src/http/server.ts. */
function finder(networks: string) {
  const { isTrusted, clientOf } = trustProxies(parseNetworks(networks))
  const app = Fastify({ trustProxy: isTrusted })
  app.get('/', (request) => ({ client: clientOf(request.ips ?? []) }))
  return async (remoteAddress: string, forwarded: string | undefined): Promise<string> => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    return (await app.inject({ url: '/', remoteAddress, headers })).json().client
  }
}
