import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Circuits, REFUSED_KEY_MS } from './circuits.ts'

// Circuits of a single owner. circuits-owners.test.ts has the tests with several owners.

const OPEN_MS = 20_000
const MODEL = 'fake/x #0'
const ANNA = { caller: { owner: 'anna' }, isCustomized: () => false }

let now = 0
let circuits = new Circuits(() => now)

beforeEach(() => {
  now = 1_000_000
  circuits = new Circuits(() => now)
})

test('the fifth failure in a row opens the circuit', () => {
  fail(4)
  assert.deepEqual([circuits.allows(MODEL, ANNA), circuits.open], [true, 0])
  fail(1)
  assert.deepEqual(
    [circuits.allows(MODEL, ANNA), circuits.open, circuits.coolDownOf(MODEL, ANNA).forMs],
    [false, 1, OPEN_MS],
  )
})

test('a success in between starts the count anew', () => {
  fail(4)
  circuits.succeeded(MODEL, ANNA)
  fail(4)
  assert.equal(circuits.allows(MODEL, ANNA), true)
  assert.equal(circuits.list()[0]?.failures, 4)
})

test('after 20 s one call is let through, and no other until it has ended', () => {
  fail(5)
  now += OPEN_MS - 1
  assert.equal(circuits.allows(MODEL, ANNA), false)
  now += 1
  assert.equal(circuits.list()[0]?.state, 'half-open')
  assert.equal(circuits.allows(MODEL, ANNA), true)
  circuits.begin(MODEL, ANNA)
  assert.equal(circuits.allows(MODEL, ANNA), false)
})

test('a probe that succeeds closes, one that fails opens for another 20 s', () => {
  fail(5)
  probe()
  fail(1)
  assert.deepEqual([circuits.allows(MODEL, ANNA), circuits.coolDownOf(MODEL, ANNA).forMs], [false, OPEN_MS])
  probe()
  circuits.succeeded(MODEL, ANNA)
  assert.deepEqual([circuits.allows(MODEL, ANNA), circuits.list(), circuits.open], [true, [], 0])
})

test('after a probe without a result, the next call is the probe', () => {
  fail(5)
  probe()
  circuits.undecided(MODEL, ANNA)
  assert.equal(circuits.allows(MODEL, ANNA), true)
})

test('a probe that never ends does not keep the circuit open forever', () => {
  fail(5)
  probe()
  now += OPEN_MS
  assert.equal(circuits.allows(MODEL, ANNA), true)
})

test('a cool-down lasts as long as requested, and a later, shorter request does not shorten it', () => {
  circuits.coolDown(MODEL, ANNA, { because: 'auth', forMs: REFUSED_KEY_MS })
  circuits.coolDown(MODEL, ANNA, { because: 'rate_limited', forMs: 1_000 })
  assert.deepEqual([circuits.allows(MODEL, ANNA), circuits.coolDownOf(MODEL, ANNA).forMs], [false, REFUSED_KEY_MS])
  now += REFUSED_KEY_MS
  assert.equal(circuits.allows(MODEL, ANNA), true)
})

test('circuits with different names are independent', () => {
  fail(5)
  assert.deepEqual([circuits.allows('fake/x #1', ANNA), circuits.coolDownOf('fake/x #1', ANNA).forMs], [true, 0])
})

test('the list says why and for how long', () => {
  fail(5)
  now += 5_000
  assert.deepEqual(circuits.list(), [
    {
      name: MODEL,
      state: 'open',
      failures: 5,
      because: 'overloaded',
      retryInMs: OPEN_MS - 5_000,
      forEveryone: 'closed',
      openOwners: 1,
      learnedFrom: undefined,
    },
  ])
})

test('callers who invent names do not fill the memory', () => {
  for (let index = 0; index < 10_050; index++) circuits.failed(`fake/${index} #0`, ANNA, { because: 'reset' })
  assert.equal(circuits.list().length, 10_000)
  assert.equal(circuits.list().at(-1)?.name, 'fake/10049 #0')
})

function fail(times: number): void {
  for (let time = 0; time < times; time++) circuits.failed(MODEL, ANNA, { because: 'overloaded' })
}

function probe(): void {
  now += OPEN_MS
  assert.equal(circuits.allows(MODEL, ANNA), true)
  circuits.begin(MODEL, ANNA)
}
