import assert from 'node:assert/strict'
import { test } from 'node:test'
import { egressUnderTest, get, NAME, textOf } from './fixtures/egress-under-test.ts'
import { openCanary } from './fixtures/servers.ts'
import { parseNetworks } from '../addresses/networks.ts'
import { EgressRefused } from './refusal.ts'

const LOOPBACK = parseNetworks('127.0.0.0/8')

test('an allowed network lets plain http through, to an address and to a name', async (context) => {
  const canary = await openCanary(context)
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const egress = egressUnderTest(context, { allow: LOOPBACK, resolve })
  for (const host of ['127.0.0.1', '127.1', NAME])
    assert.equal(await textOf(await egress.fetch(get(`http://${host}:${canary.port}/`))), 'secret')
  assert.equal(canary.connections, 3)
})

test('names with an address outside of the allowed networks are refused', async (context) => {
  const canary = await openCanary(context)
  const answers: Record<string, string[]> = {
    'six.example.org': ['::1'],
    'both.example.org': ['127.0.0.1', '::1'],
    'mapped.example.org': ['::ffff:127.0.0.1'],
    'public.example.org': ['93.184.215.14'],
    'mixed.example.org': ['127.0.0.1', '93.184.215.14'],
    'private.example.org': ['10.0.0.1'],
    'metadata.example.org': ['169.254.169.254'],
    'this.example.org': ['0.0.0.0'],
  }
  const resolve = async (name: string) => answers[name]!.map((address) => ({ address, family: 4 }))
  const egress = egressUnderTest(context, { allow: LOOPBACK, resolve })
  const literals = [
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    'localhost',
  ]
  for (const host of [...Object.keys(answers), ...literals])
    await assert.rejects(egress.fetch(get(`http://${host}:${canary.port}/`)), EgressRefused, host)
  for (const changes of [{ requireHttps: true }])
    await assert.rejects(egress.fetch(get(`http://127.0.0.1:${canary.port}/`, changes)), EgressRefused)
  assert.equal(canary.connections, 0)
})

test('without allowed networks loopback is closed, for http and https, by address and by name', async (context) => {
  const canary = await openCanary(context)
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const egress = egressUnderTest(context, { allow: [], resolve })
  for (const scheme of ['http', 'https'])
    for (const host of ['127.0.0.1', NAME])
      await assert.rejects(egress.fetch(get(`${scheme}://${host}:${canary.port}/`)), EgressRefused)
  assert.equal(canary.connections, 0)
})

test('the gateway itself stays closed inside an allowed network, by address and by name', async (context) => {
  const canary = await openCanary(context)
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  for (const address of ['127.0.0.1', '0.0.0.0', '::']) {
    const ownListeners = () => [{ address, port: canary.port }]
    const egress = egressUnderTest(context, { allow: LOOPBACK, resolve, ownListeners })
    for (const host of ['127.0.0.1', NAME])
      await assert.rejects(egress.fetch(get(`http://${host}:${canary.port}/`)), EgressRefused)
  }
  assert.equal(canary.connections, 0)
})
