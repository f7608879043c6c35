import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublic } from './address.ts'

// An independent definition: the IANA special-purpose registries as a table, and arithmetic on integers.

const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29 192.0.0.8/32',
  '192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24',
  '192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '255.255.255.255/32 168.63.129.16/32',
].flatMap((line) => line.split(' '))

const NOT_PUBLIC_IPV6 = [
  '::/128 ::1/128 ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 ::/3',
  '2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28',
  '2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20 5f00::/16 4000::/2 8000::/1',
  'fc00::/7 fe80::/10 fec0::/10 ff00::/8',
].flatMap((line) => line.split(' '))

type Block = { bits: bigint; first: bigint; last: bigint }

const IPV4 = NOT_PUBLIC_IPV4.map((cidr) => blockOf(cidr, 32n, numberOfIPv4))
const IPV6 = NOT_PUBLIC_IPV6.map((cidr) => blockOf(cidr, 128n, numberOfIPv6))

test('agrees with the registries at the edges of every block', () => {
  for (const [blocks, write] of [
    [IPV4, writeIPv4],
    [IPV6, writeIPv6],
  ] as const)
    for (const { first, last, bits } of blocks)
      for (const number of [first - 1n, first, first + 1n, last - 1n, last, last + 1n])
        if (number >= 0n && number < 1n << bits) assertAgrees(number, blocks, write)
})

test('agrees with the registries on 20,000 random addresses', () => {
  const random = randomNumbers(0x5eed)
  const verdicts = { public: 0, not: 0 }
  for (let i = 0; i < 10_000; i++) {
    const four = i % 2 === 0 ? random(32) : within(IPV4[i % IPV4.length]!, random)
    verdicts[assertAgrees(four, IPV4, writeIPv4) ? 'public' : 'not'] += 1
    const six = [random(128), (1n << 125n) | random(125), within(IPV6[i % IPV6.length]!, random)][i % 3]!
    verdicts[assertAgrees(six, IPV6, writeIPv6) ? 'public' : 'not'] += 1
  }
  assert.ok(verdicts.public > 5_000 && verdicts.not > 5_000, 'both verdicts were seen often')
})

test('every way to write an IPv6 address has the same verdict', () => {
  for (const text of ['::1', '0:0:0:0:0:0:0:1', '::0001', '0::0:1', '::0.0.0.1'])
    assert.equal(isPublic(text), false, text)
  for (const text of ['2a00:1450::1', '2A00:1450:0:0:0:0:0:1', '2a00:1450::0.0.0.1', '2a00:1450:0:0:0:0:0.0.0.1'])
    assert.equal(isPublic(text), true, text)
})

test('what is not a plain address is not public', () => {
  const texts = [
    '',
    ' ',
    'example.org',
    '8.8.8',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '08.8.8.8',
    '8.8.8.010',
    '0x8.8.8.8',
    '134744072',
  ]
  const more = [
    '8.8.8.8.',
    '8.8.8.8/32',
    '8.8.8.8:80',
    '[2a00::1]',
    '2a00::1%eth0',
    '2a00:::1',
    '2a00::1::',
    '８.8.8.8',
  ]
  for (const text of [...texts, ...more]) assert.equal(isPublic(text), false, JSON.stringify(text))
})

function assertAgrees(number: bigint, blocks: Block[], write: (number: bigint) => string): boolean {
  const expected = !blocks.some(({ first, last }) => number >= first && number <= last)
  assert.equal(isPublic(write(number)), expected, write(number))
  return expected
}

function blockOf(cidr: string, bits: bigint, read: (text: string) => bigint): Block {
  const [address, prefix] = cidr.split('/') as [string, string]
  const size = 1n << (bits - BigInt(prefix))
  const first = read(address)
  assert.equal(first % size, 0n, cidr)
  return { bits, first, last: first + size - 1n }
}

function within({ first, last }: Block, random: (bits: number) => bigint): bigint {
  return first + (random(128) % (last - first + 1n))
}

function numberOfIPv4(text: string): bigint {
  return text.split('.').reduce((number, byte) => number * 256n + BigInt(byte), 0n)
}

function numberOfIPv6(text: string): bigint {
  const [left = '', right = ''] = text.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const gap = new Array<string>(8 - groups(left).length - groups(right).length).fill('0')
  return [...groups(left), ...gap, ...groups(right)].reduce(
    (number, group) => number * 65_536n + BigInt(`0x${group}`),
    0n,
  )
}

function writeIPv4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
}

/** Writes every second address in the short form that the URL parser produces. */
function writeIPv6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(
    ':',
  )
  return number % 2n === 0n ? groups : new URL(`http://[${groups}]/`).hostname.slice(1, -1)
}

/** Pseudo-random numbers that are the same in every run. */
function randomNumbers(seed: number): (bits: number) => bigint {
  let state = BigInt(seed)
  const next = () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 64n) - 1n)
    return state >> 32n
  }
  return (bits) => {
    let number = 0n
    for (let have = 0; have < bits; have += 32) number = (number << 32n) | next()
    return number & ((1n << BigInt(bits)) - 1n)
  }
}
