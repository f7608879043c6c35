import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { Circuits } from './circuits.ts'
import { chooseCredential, circuitName } from './credentials.ts'

const NONE = new Set<number>()
const ANNA = { caller: { owner: 'anna' }, isCustomized: () => false }

test('credentials take smooth turns by weight', () => {
  const provider = providerWith([3, 1])
  assert.equal(turns(provider, 8), 'aabaaaba')
  assert.equal(turns(providerWith([1, 1, 1]), 6), 'abcabc')
})

test('over many turns the shares are the weights', () => {
  const drawn = turns(providerWith([5, 3, 2]), 1_000)
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => drawn.split(name).length - 1),
    [500, 300, 200],
  )
})

test('a credential that is cooling down for a model is skipped for that model only', () => {
  const provider = providerWith([1, 1])
  const circuits = new Circuits(() => 1)
  circuits.coolDown(circuitName({ id: 'fake/x' }, 0), ANNA, { because: 'rate_limited', forMs: 1_000 })
  assert.deepEqual(
    [1, 2, 3].map(() => chooseCredential({ provider: provider, id: 'fake/x' }, ANNA, circuits, NONE)?.index),
    [1, 1, 1],
  )
  const others = [1, 2].map(() => chooseCredential({ provider: provider, id: 'fake/y' }, ANNA, circuits, NONE)?.index)
  assert.ok(others.includes(0))
})

test('a credential that was refused in this call is not chosen again', () => {
  const provider = providerWith([1, 1])
  const circuits = new Circuits(() => 1)
  assert.equal(chooseCredential({ provider: provider, id: 'fake/x' }, ANNA, circuits, new Set([0]))?.index, 1)
  assert.equal(chooseCredential({ provider: provider, id: 'fake/x' }, ANNA, circuits, new Set([0, 1])), undefined)
})

test('if all credentials are cooling down, none is chosen, even if there is only one or none', () => {
  for (const weights of [[], [1], [1, 1]]) {
    const circuits = new Circuits(() => 1)
    const provider = providerWith(weights)
    assert.equal(chooseCredential({ provider: provider, id: 'fake/x' }, ANNA, circuits, NONE)?.index, 0)
    for (const index of [0, 1])
      circuits.coolDown(circuitName({ id: 'fake/x' }, index), ANNA, { because: 'auth', forMs: 1_000 })
    assert.equal(chooseCredential({ provider: provider, id: 'fake/x' }, ANNA, circuits, NONE), undefined)
  }
})

test('a target that is bound to a name is called with that credential only, and never with another', () => {
  const provider = providerWith([1, 5, 1])
  const bound = { provider, id: 'fake/x', credential: 'c' }
  const circuits = new Circuits(() => 1)
  const choose = (tried = NONE) => chooseCredential(bound, ANNA, circuits, tried)?.secret
  assert.deepEqual([choose(), choose(), choose()], ['c', 'c', 'c'])
  assert.equal(choose(new Set([2])), undefined)
  circuits.coolDown(circuitName({ id: 'fake/x' }, 0), ANNA, { because: 'rate_limited', forMs: 1_000 })
  assert.equal(choose(), 'c')
  circuits.coolDown(circuitName({ id: 'fake/x' }, 2), ANNA, { because: 'rate_limited', forMs: 1_000 })
  assert.equal(choose(), undefined)
  assert.equal(turns(provider, 7), 'bbabcbb')
})

test('several secrets of one name take turns, and a name that is gone is an error that says so', () => {
  const provider = providerWith([1, 1, 1])
  const named = provider.credentials.map((one, index) => ({ ...one, name: index === 1 ? 'other' : 'team' }))
  const target = { provider: { ...provider, credentials: named }, id: 'fake/x' }
  const circuits = new Circuits(() => 1)
  const chosen = [1, 2, 3, 4].map(
    () => chooseCredential({ ...target, credential: 'team' }, ANNA, circuits, NONE)?.secret,
  )
  assert.deepEqual(chosen, ['a', 'c', 'a', 'c'])
  assert.throws(() => chooseCredential({ ...target, credential: 'gone' }, ANNA, circuits, NONE), {
    status: 424,
    message: "Fake has no credential named 'gone' here.",
  })
})

function turns(provider: Provider, count: number): string {
  const circuits = new Circuits(() => 1)
  return Array.from(
    { length: count },
    () => chooseCredential({ provider: provider, id: 'fake/x' }, ANNA, circuits, NONE)?.secret,
  ).join('')
}

function providerWith(weights: number[]): Provider {
  const credentials = weights.map((weight, index) => ({ name: 'abc'[index]!, secret: 'abc'[index], weight }))
  return {
    id: 'fake',
    name: 'Fake',
    dialect: 'openai',
    baseUrl: 'http://127.0.0.1/v1',
    auth: { scheme: 'bearer' },
    credentials,
    configured: true,
    missing: undefined,
    address: {},
  }
}
