import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../contract/problems.ts'
import { checkAllowedIps, mayComeFrom } from './allowed-ips.ts'

test('a client is allowed by its bits, whichever form its address and the network are written in', () => {
  const rows: [string[], string, boolean][] = [
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '::FFFF:a01:203', true],
    [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
    [['::ffff:10.0.0.0/104'], '11.1.2.3', false],
    [['::ffff:192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['2001:db8::/32'], '2001:db8:1::9', true],
    [['2001:db8::/32'], '2001:db9::9', false],
    [['2001:db8::1'], '2001:db8:0:0:0:0:0:1', true],
    [['fe80::/10'], 'fe80::1%eth0', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['0.0.0.0/0'], '::ffff:198.51.100.1', true],
    [['::/0'], '198.51.100.1', false],
    [['192.0.2.0/24', '10.0.0.1/32'], '10.0.0.1', true],
    [['0.0.0.0/0', '::/0'], '', false],
    [['0.0.0.0/0', '::/0'], 'unknown', false],
    [['not a network'], '10.0.0.1', false],
  ]
  for (const [allowedIps, ip, expected] of rows)
    assert.equal(mayComeFrom({ allowedIps }, { clientAddress: ip }), expected, `${ip} in ${allowedIps}`)
  assert.equal(mayComeFrom({ allowedIps: null }, { clientAddress: '203.0.113.9' }), true)
})

test('the address of a client is not read for a key without a list', () => {
  const client = {
    get clientAddress(): string {
      throw new Error('read')
    },
  }
  assert.equal(mayComeFrom({ allowedIps: null }, client), true)
})

test('an item that is no network is refused with its place and what to write', () => {
  checkAllowedIps(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7', '::ffff:10.0.0.0/104'])
  for (const [item, words] of [
    ['localhost', /"localhost" is not a network\. Write an address and a prefix/],
    ['10.0.0.0/33', /the prefix should be from 0 to 32/],
    ['10.0.0.1/8', /is an address inside a network/],
    ['10.0.0.0/8,11.0.0.0/8', /one network in each item/],
    ['', /one network in each item/],
    ['fe80::1%eth0', /is not a network/],
  ] as const)
    assert.throws(
      () => checkAllowedIps(['192.0.2.0/24', item]),
      (error) =>
        error instanceof Problem &&
        error.status === 422 &&
        words.test(error.message) &&
        error.details.param === 'allowed_ips.1',
      item,
    )
})
