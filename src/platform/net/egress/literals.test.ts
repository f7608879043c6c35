import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { checkUrl } from './check-url.ts'
import { egressUnderTest, get } from './fixtures/egress-under-test.ts'
import * as literals from './fixtures/literal-vectors.ts'
import { openCanary } from './fixtures/servers.ts'
import { EgressRefused } from './refusal.ts'

const POLICY = { allow: [], ownListeners: () => [] }
const PORT = 8_443

const written = literals.vectorsOf(literals.INSIDE)
const carried = literals.carried(literals.INSIDE)
const refusedHosts = [
  ...[...written, ...carried].map(({ host }) => host),
  ...literals.INSIDE_IPV6.map((address) => `[${address}]`),
  ...literals.NONSENSE,
]

test('every way to write an address inside is refused', () => {
  assert.ok(new Set(refusedHosts).size >= 300, `${new Set(refusedHosts).size} different hosts`)
  for (const host of refusedHosts) assert.throws(() => checkUrl(urlOf(host), POLICY), EgressRefused, host)
})

test('the forms were understood: the address is refused, not its spelling', () => {
  for (const { form, host, dotted } of written) assert.equal(new URL(urlOf(host)).hostname, dotted, `${form}: ${host}`)
  for (const { form, host } of carried) assert.ok(URL.canParse(urlOf(host)), `${form}: ${host}`)
})

test('the same forms of an address outside are accepted, and dialled as what they mean', () => {
  for (const { form, host, dotted } of literals.vectorsOf(literals.OUTSIDE))
    assert.equal(checkUrl(urlOf(host), POLICY).hostname, dotted, `${form}: ${host}`)
  for (const address of literals.OUTSIDE_IPV6)
    assert.doesNotThrow(() => checkUrl(urlOf(`[${address}]`), POLICY), address)
})

test('an address outside is refused all the same when an IPv6 address carries it', () => {
  for (const { form, host } of literals.carried(literals.OUTSIDE))
    assert.throws(() => checkUrl(urlOf(host), POLICY), EgressRefused, form)
})

test('none of them reaches a socket, with https or http', async (context) => {
  const canary = await openCanary(context)
  const egress = egressUnderTest(context)
  for (const host of refusedHosts)
    for (const scheme of ['https', 'http'])
      await assert.rejects(egress.fetch(get(urlOf(host, canary.port, scheme))), EgressRefused, host)
  assert.equal(canary.connections, 0)
})

test('Node asks no lookup function about a literal, so a guard there would see nothing', async (context) => {
  const canary = await openCanary(context)
  let lookups = 0
  const lookup = () => {
    lookups += 1
  }
  const socket = connect({ host: '127.0.0.1', port: canary.port, lookup })
  await new Promise((resolve) => socket.once('close', resolve).resume())
  assert.deepEqual([lookups, canary.connections], [0, 1])
  const egress = egressUnderTest(context, { resolve: () => assert.fail('a literal is not resolved') })
  await assert.rejects(egress.fetch(get(`https://127.0.0.1:${canary.port}/`)), EgressRefused)
  assert.equal(canary.connections, 1)
})

function urlOf(host: string, port = PORT, scheme = 'https'): string {
  return `${scheme}://${host}:${port}/latest/meta-data`
}
