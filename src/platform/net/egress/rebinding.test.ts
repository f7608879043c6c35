import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { egressUnderTest, get, NAME, textOf } from './fixtures/egress-under-test.ts'
import { type NameRecord, openNameServer } from './fixtures/name-server.ts'
import { GOOD, openWeb } from './fixtures/servers.ts'
import { parseNetworks } from '../addresses/networks.ts'
import { pin } from './pin.ts'
import { pinnedConnector } from './pinned-connect.ts'
import { EgressFailed, EgressRefused } from './refusal.ts'
import { type Answer, openResolver } from './resolve-name.ts'

const PUBLIC = '93.184.215.14'
const LOOPBACK = '127.0.0.1'
const METADATA = '169.254.169.254'
const ROUNDS = 50

/** What the name resolves to at successive lookups. A script starts over after its last answer. */
const SCRIPTS: Record<string, string[][]> = {
  'good, then loopback': [[GOOD], [LOOPBACK]],
  'good, then the metadata service': [[GOOD], [METADATA]],
  'good three times, then loopback': [[GOOD], [GOOD], [GOOD], [LOOPBACK]],
  'loopback, then good': [[LOOPBACK], [GOOD]],
  'good and loopback at once': [[GOOD, LOOPBACK]],
  'loopback hidden after a dozen good ones': [[...new Array<string>(12).fill(GOOD), LOOPBACK]],
  'A good, AAAA loopback': [[GOOD, '::1']],
  'A public, AAAA loopback': [[PUBLIC, '::1']],
  'public and private at once': [[PUBLIC, '10.0.0.1']],
  'the unspecified addresses': [['0.0.0.0'], ['::'], ['0.0.0.0', '::']],
  'IPv4 inside IPv6': [
    ['::ffff:127.0.0.1'],
    ['::127.0.0.1'],
    ['64:ff9b::127.0.0.1'],
    ['2002:7f00:1::1'],
    ['::ffff:7f00:2'],
  ],
  'a zone id': [['fe80::1%lo'], ['::1%lo'], ['127.0.0.2%lo']],
  'addresses that only the system would understand': [
    ['127.1'],
    ['2130706433'],
    ['0x7f000001'],
    ['localhost'],
    [''],
    [' '],
  ],
  'the good address in another spelling': [['127.0.0.02'], ['::ffff:127.0.0.2'], ['0x7f.0.0.2']],
}

for (const [title, script] of Object.entries(SCRIPTS))
  test(`rebinding: ${title}`, async (context) => {
    const { port, good, canary } = await openWeb(context, (_, response) => response.end('fine'))
    let visits = 0
    const resolve = async () => script[visits++ % script.length]!.map((address) => ({ address, family: 4 }))
    const egress = egressUnderTest(context, { resolve })
    const outcomes: boolean[] = []
    for (let round = 0; round < ROUNDS; round++) outcomes.push(await reaches(() => egress.fetch(get(urlOf(port)))))
    assert.equal(canary.connections, 0)
    assert.equal(visits, ROUNDS, 'a name is resolved once for each request')
    assert.deepEqual(
      outcomes,
      outcomes.map((_, i) => script[i % script.length]!.every((address) => address === GOOD)),
    )
    assert.equal(good.connections, outcomes.filter(Boolean).length, 'and every request has a connection of its own')
  })

test('rebinding: an answer that changes between the check and the connection', async (context) => {
  const { port, good, canary } = await openWeb(context, (_, response) => response.end('fine'))
  let reads = 0
  const shifty: Answer = {
    family: 4,
    get address() {
      reads += 1
      return reads % 2 === 1 ? GOOD : LOOPBACK
    },
  }
  const egress = egressUnderTest(context, { resolve: async () => [shifty] })
  assert.equal(await textOf(await egress.fetch(get(urlOf(port)))), 'fine')
  assert.deepEqual([reads, good.connections, canary.connections], [1, 1, 0])
})

test('rebinding: real answers over UDP, with a CNAME chain into the inside', async (context) => {
  const { port, good, canary } = await openWeb(context, (_, response) => response.end('fine'))
  const chain = (address: string): NameRecord[] => [
    { type: 'CNAME', data: 'cdn.example.net' },
    { name: 'cdn.example.net', type: 'CNAME', data: 'db.corp.internal' },
    { name: 'db.corp.internal', type: 'A', data: address },
  ]
  const zone = (question: string, nth: number) =>
    question.startsWith('A ') ? chain(nth % 2 === 0 ? GOOD : LOOPBACK) : []
  const names = await openNameServer(context, zone)
  const egress = egressUnderTest(context, { resolve: openResolver([names.server]) })
  for (let round = 0; round < 10; round++)
    assert.equal(await reaches(() => egress.fetch(get(urlOf(port)))), round % 2 === 0)
  assert.deepEqual([good.connections, canary.connections], [5, 0])
  assert.equal(names.questions.filter((question) => question === `A ${NAME}`).length, 10)
})

test('rebinding: families that differ, over UDP', async (context) => {
  const { port, canary } = await openWeb(context, (_, response) => response.end('fine'))
  const names = await openNameServer(context, (question) =>
    question.startsWith('A ') ? [{ type: 'A', data: GOOD }] : [{ type: 'AAAA', data: '0:0:0:0:0:0:0:1' }],
  )
  const egress = egressUnderTest(context, { resolve: openResolver([names.server]) })
  await assert.rejects(egress.fetch(get(urlOf(port))), EgressRefused)
  assert.equal(canary.connections, 0)
})

test('the peer is looked at once more: an allowed 0.0.0.0 leads to loopback, which gets no byte', async (context) => {
  const { port, canary } = await openWeb(context, (_, response) => response.end('fine'))
  const egress = egressUnderTest(context, {
    allow: parseNetworks('0.0.0.0/8'),
    resolve: async () => [{ address: '0.0.0.0', family: 4 }],
  })
  for (const url of [urlOf(port), `http://0.0.0.0:${port}/`, `https://0.0.0.0:${port}/`])
    await assert.rejects(egress.fetch(get(url)), { name: 'EgressRefused', cause: 'peer' })
  assert.equal(canary.bytes, 0)
})

test('a connector opens one socket and no second one, whatever the HTTP client below would like', async (context) => {
  const { port, good } = await openWeb(context, (_, response) => response.end('fine'))
  const connect = pinnedConnector({
    url: new URL(urlOf(port)),
    addresses: [{ address: GOOD, family: 4 }],
    isGoodPeer: () => true,
    connectMs: 600_000,
    signal: new AbortController().signal,
  })
  const open = () => new Promise((resolve) => connect({} as never, (error, socket) => resolve(error ?? socket)))
  const first = await open()
  assert.ok(first instanceof Socket)
  first.destroy()
  assert.ok((await open()) instanceof EgressFailed)
  assert.equal(good.connections, 1)
})

test('public answers are let through to be dialled, eight of them at most; http is not', async () => {
  const policy = { allow: [], ownListeners: () => [] }
  const many = Array.from({ length: 12 }, (_, i) => ({ address: `93.184.215.${i}`, family: 4 }))
  const pinning = { policy, resolve: async () => [...many, { address: '2a00:1450::1', family: 6 }] }
  const rest = { dnsMs: 1_000, signal: new AbortController().signal }
  assert.deepEqual(await pin(new URL(`https://${NAME}/`), { ...pinning, ...rest }), many.slice(0, 8))
  await assert.rejects(pin(new URL(`http://${NAME}/`), { ...pinning, ...rest }), EgressRefused)
})

test('a name without an address, an unknown name, and a name that gets no reply cannot be reached', async (context) => {
  const unknown = async () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }))
  const never = () => new Promise<Answer[]>(() => {})
  for (const [resolve, kind] of [
    [async () => [], 'unreachable'],
    [unknown, 'unreachable'],
    [never, 'timeout'],
  ] as const) {
    const egress = egressUnderTest(context, { resolve, limits: { dnsMs: 50 } })
    await assert.rejects(
      egress.fetch(get(`https://${NAME}/`)),
      (error) => error instanceof EgressFailed && error.kind === kind,
    )
  }
})

function urlOf(port: number): string {
  return `http://${NAME}:${port}/`
}

async function reaches(send: () => ReturnType<ReturnType<typeof egressUnderTest>['fetch']>): Promise<boolean> {
  try {
    return (await textOf(await send())) === 'fine'
  } catch (error) {
    if (error instanceof EgressRefused) return false
    throw error
  }
}
