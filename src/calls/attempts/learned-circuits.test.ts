import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Circuits, type Requester } from './circuits.ts'
import type { HasSucceeded } from './learned-circuits.ts'

// Two processes with clocks that have nothing to do with each other.

const OPEN_MS = 20_000
const MODEL = 'fake/x #0'
const [ANNA, BEN] = ['anna', 'ben'].map((owner) => requester(owner)) as [Requester, Requester]
const ANNA_ODD = requester('anna', true)
const NEVER: HasSucceeded = () => false

let elapsed = 0
let here: Circuits
let there: Circuits

beforeEach(() => {
  elapsed = 0
  here = new Circuits(() => 1_000_000 + elapsed)
  there = new Circuits(() => 50 + elapsed)
})

test('an opening applies to the same owner, and to no other owner', () => {
  fail(there, ANNA, 5)
  tell()
  assert.deepEqual(allowed(ANNA, ANNA_ODD, BEN), [false, false, true])
  assert.deepEqual(here.coolDownOf(MODEL, ANNA), { forMs: OPEN_MS, because: 'overloaded' })
  assert.deepEqual(
    here.list().map(({ state, openOwners, learnedFrom }) => ({ state, openOwners, learnedFrom })),
    [{ state: 'open', openOwners: 1, learnedFrom: 'there' }],
  )
})

test('failures of customized requests apply to customized requests only', () => {
  fail(there, ANNA_ODD, 5)
  tell()
  assert.deepEqual(allowed(ANNA, ANNA_ODD, BEN), [true, false, true])
})

test('what is open for everyone there is open for everyone here', () => {
  for (const owner of [ANNA, BEN]) fail(there, owner, 5)
  tell()
  assert.deepEqual(allowed(ANNA, BEN, requester('carl')), [false, false, false])
  assert.equal(here.openForEveryone, 1)
})

test('a cool-down counts even if our own calls succeed, because the credential is the same', () => {
  there.coolDown(MODEL, ANNA, { because: 'rate_limited', forMs: 7_000 })
  tell(() => true)
  assert.deepEqual(here.coolDownOf(MODEL, ANNA), { forMs: 7_000, because: 'rate_limited' })
})

test('failures elsewhere do not count against a provider that answers us', () => {
  fail(there, ANNA, 5)
  tell((name, owner) => name === MODEL && owner === 'anna')
  assert.deepEqual(allowed(ANNA), [true])
  assert.ok(here.isQuiet)
})

test('nothing that was heard is told on', () => {
  fail(there, ANNA, 5)
  tell()
  assert.deepEqual(here.learned.own(), [])
  fail(here, BEN, 5)
  assert.deepEqual(
    here.learned.own().map(({ owner }) => owner),
    ['ben'],
  )
})

test('when the time is over, one call is let through as a probe, and its success closes the circuit for good', () => {
  fail(there, ANNA, 5)
  tell()
  elapsed = OPEN_MS
  tell()
  assert.deepEqual(allowed(ANNA), [true])
  here.begin(MODEL, ANNA)
  assert.deepEqual(allowed(ANNA), [false])
  here.succeeded(MODEL, ANNA)
  tell()
  assert.deepEqual([...allowed(ANNA), here.isQuiet], [true, true])
})

test('a probe that fails here opens the circuit here, whatever the others say', () => {
  fail(there, ANNA, 5)
  tell()
  elapsed = OPEN_MS
  here.begin(MODEL, ANNA)
  fail(here, ANNA, 1)
  there.succeeded(MODEL, ANNA)
  tell()
  assert.deepEqual(allowed(ANNA), [false])
  assert.equal(here.learned.own()[0]?.owner, 'anna')
})

test('a success there closes the circuit here, and so does the end of that process', () => {
  fail(there, ANNA, 5)
  tell()
  there.succeeded(MODEL, ANNA)
  tell()
  assert.deepEqual([...allowed(ANNA), here.isQuiet], [true, true])
  for (const owner of [ANNA, BEN, ANNA_ODD]) fail(there, owner, 5)
  tell()
  assert.deepEqual(allowed(requester('carl')), [false])
  here.learned.forget('there')
  assert.deepEqual([...allowed(ANNA, ANNA_ODD, BEN), here.isQuiet], [true, true, true, true])
})

test('a circuit that opened here stays, although the other process closes its own', () => {
  fail(here, ANNA, 5)
  fail(there, ANNA, 5)
  tell()
  there.succeeded(MODEL, ANNA)
  tell()
  assert.deepEqual(allowed(ANNA), [false])
})

test('no report keeps a circuit open for longer than a minute, and ten thousand of them do not fill the memory', () => {
  const opening = { name: MODEL, kind: 'plain', owner: 'anna', forMs: 9e9, because: 'auth', number: 1 } as const
  here.learned.learn('there', [opening], NEVER)
  assert.equal(here.coolDownOf(MODEL, ANNA).forMs, 60_000)
  const many = Array.from({ length: 10_000 }, (_, i) => ({ ...opening, owner: `owner ${i}` }))
  here.learned.learn('there', many, NEVER)
  assert.equal(here.list()[0]!.openOwners, 400)
  for (let i = 0; i < 1_000; i++) fail(there, requester(`owner ${i}`), 5)
  assert.equal(there.learned.own().length, 400)
})

function tell(hasSucceeded = NEVER) {
  here.learned.learn('there', there.learned.own(), hasSucceeded)
}

function fail(circuits: Circuits, by: Requester, times: number) {
  for (let i = 0; i < times; i++) circuits.failed(MODEL, by, { because: 'overloaded' })
}

function allowed(...requesters: Requester[]): boolean[] {
  return requesters.map((one) => here.allows(MODEL, one))
}

function requester(owner: string, customized = false): Requester {
  return { caller: { owner }, isCustomized: () => customized }
}
