import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contains, NetworksError, parseNetworks } from './networks.ts'

test('a list of networks is read, spaces and all', () => {
  assert.equal(parseNetworks('127.0.0.0/8').length, 1)
  assert.equal(parseNetworks(' 10.0.0.0/8 ,fd00::/8,  192.168.4.7/32').length, 3)
  assert.deepEqual(parseNetworks(''), [])
  assert.deepEqual(parseNetworks('  '), [])
})

test('an address is in a network by its bits', () => {
  const rows: [string, string, boolean][] = [
    ['127.0.0.0/8', '127.255.255.255', true],
    ['127.0.0.0/8', '128.0.0.0', false],
    ['172.16.0.0/12', '172.31.255.255', true],
    ['172.16.0.0/12', '172.32.0.0', false],
    ['10.1.2.3/32', '10.1.2.3', true],
    ['10.1.2.3/32', '10.1.2.2', false],
    ['192.168.0.128/25', '192.168.0.127', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['fd00::/8', 'fdff:ffff::1', true],
    ['fd00::/8', 'fc00::1', false],
    ['::1/128', '0:0:0:0:0:0:0:1', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['127.0.0.0/8', '::ffff:127.0.0.1', false],
    ['127.0.0.0/8', '127.1', false],
    ['fe80::/10', 'fe80::1%lo', false],
    ['127.0.0.0/8', '', false],
  ]
  for (const [network, address, expected] of rows)
    assert.equal(contains(parseNetworks(network)[0]!, address), expected, `${address} in ${network}`)
})

test('nonsense is refused in a sentence that names it', () => {
  const rows: [string, RegExp][] = [
    ['localhost', /^"localhost" is not a network\. Write an address and a prefix, as in 10\.0\.0\.0\/8$/],
    ['127.0.0.1', /"127\.0\.0\.1" is not a network/],
    ['127.0.0.0/', /is not a network/],
    ['/8', /is not a network/],
    ['127.1/8', /is not a network/],
    ['0177.0.0.0/8', /is not a network/],
    ['10.0.0.0/8 192.168.0.0/16', /is not a network/],
    ['10.0.0.0/255.0.0.0', /is not a network/],
    ['10.0.0.0/-1', /is not a network/],
    ['10.0.0.0/8.5', /is not a network/],
    ['fe80::%eth0/10', /is not a network/],
    ['10.0.0.0/8,,fd00::/8', /^"" is not a network/],
    ['*', /is not a network/],
    ['10.0.0.0/33', /^"10\.0\.0\.0\/33": the prefix should be from 0 to 32$/],
    ['fd00::/129', /the prefix should be from 0 to 128$/],
    ['10.0.0.1/8', /^"10\.0\.0\.1\/8" is an address inside a network: the bits after the first 8 should be 0$/],
    ['fd00::1/8', /is an address inside a network/],
  ]
  for (const [text, message] of rows)
    assert.throws(
      () => parseNetworks(text),
      (error) => error instanceof NetworksError && message.test(error.message),
      text,
    )
})
