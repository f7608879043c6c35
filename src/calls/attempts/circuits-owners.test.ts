import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Circuits, REFUSED_KEY_MS, type Requester } from './circuits.ts'

// A circuit opens for the owner whose calls failed, and for everyone when owners agree.

const OPEN_MS = 20_000
const AGREE_MS = 60_000
const MODEL = 'fake/x #0'
const [ANNA, BEN, CARL] = ['anna', 'ben', 'carl'].map((owner) => requester(owner)) as [Requester, Requester, Requester]
/** Anna's customized requests. */
const ANNA_ODD = requester('anna', true)
const CARL_ODD = requester('carl', true)

let now = 0
let circuits = new Circuits(() => now)

beforeEach(() => {
  now = 1_000_000
  circuits = new Circuits(() => now)
})

test('one owner’s failures never open the circuit for other owners', () => {
  fail(ANNA, 100)
  assert.deepEqual(allowed(ANNA, BEN, CARL), [false, true, true])
  assert.deepEqual([circuits.open, circuits.openForEveryone], [1, 0])
})

test('two owners who both fail five times open it for everyone, for twenty seconds', () => {
  fail(ANNA, 5)
  fail(BEN, 4)
  assert.deepEqual(allowed(CARL, CARL_ODD), [true, true])
  fail(BEN, 1)
  assert.deepEqual(allowed(ANNA, BEN, CARL, CARL_ODD), [false, false, false, false])
  assert.deepEqual([circuits.open, circuits.openForEveryone], [1, 1])
  assert.deepEqual(circuits.coolDownOf(MODEL, CARL), { forMs: OPEN_MS, because: 'overloaded' })
})

test('five owners who fail once each open it as well', () => {
  for (const owner of ['a', 'b', 'c', 'd']) fail(requester(owner), 1)
  assert.deepEqual(allowed(CARL), [true])
  fail(requester('e'), 1)
  assert.deepEqual(allowed(CARL), [false])
})

test('a success of any owner in between starts the shared count of failures anew', () => {
  fail(ANNA, 5)
  circuits.succeeded(MODEL, CARL)
  fail(BEN, 5)
  assert.deepEqual(allowed(ANNA, BEN, CARL), [false, false, true])
})

test('failures that are older than a minute do not count for agreement', () => {
  fail(ANNA, 5)
  now += AGREE_MS + 1
  fail(BEN, 5)
  assert.deepEqual(allowed(CARL), [true])
})

test('a refusal by a healthy target resets its owner’s count, and not that of others', () => {
  fail(ANNA, 5)
  fail(BEN, 5)
  now += OPEN_MS
  circuits.begin(MODEL, ANNA)
  circuits.reached(MODEL, ANNA)
  assert.equal(listed()?.forEveryone, 'half-open')
  fail(BEN, 1)
  fail(CARL, 1)
  assert.deepEqual([listed()?.forEveryone, ...allowed(ANNA)], ['open', false])
})

test('failures with headers or fields of the caller’s own never count for the others, nor for plain requests of the owner', () => {
  fail(ANNA_ODD, 10)
  fail(BEN, 5)
  assert.deepEqual(allowed(ANNA_ODD, ANNA, CARL), [false, true, true])
})

test('an owner whose requests are always customized has a circuit too, which opens and closes', () => {
  fail(ANNA_ODD, 5)
  now += OPEN_MS
  assert.deepEqual(allowed(ANNA_ODD), [true])
  circuits.begin(MODEL, ANNA_ODD)
  assert.deepEqual(allowed(ANNA_ODD), [false])
  circuits.succeeded(MODEL, ANNA_ODD)
  assert.deepEqual([allowed(ANNA_ODD), circuits.isQuiet], [[true], true])
})

for (const because of ['refused', 'dns', 'tls', 'connect_timeout'])
  test(`${because}: nothing of a request was sent, so that its own fields are no excuse`, () => {
    fail(ANNA_ODD, 5, because)
    fail(BEN, 5, because)
    assert.deepEqual(allowed(ANNA, CARL), [false, false])
  })

test('a short time limit because of a fallback opens the circuit for its owner only', () => {
  for (const one of [ANNA, BEN])
    for (let time = 0; time < 5; time++)
      circuits.failed(MODEL, one, { because: 'first_token_timeout', isShortened: true })
  assert.deepEqual(allowed(ANNA, BEN, CARL), [false, false, true])
})

test('half-open for everyone: two owners try at a time, each once', () => {
  openForEveryone()
  now += OPEN_MS
  assert.deepEqual(allowed(ANNA, BEN, CARL), [true, true, true])
  circuits.begin(MODEL, CARL)
  assert.deepEqual(allowed(CARL, BEN), [false, true])
  circuits.begin(MODEL, BEN)
  assert.deepEqual(allowed(ANNA, BEN, CARL), [false, false, false])
  circuits.undecided(MODEL, CARL)
  assert.deepEqual(allowed(ANNA), [true])
})

test('a trial that never ends does not block others forever', () => {
  openForEveryone()
  now += OPEN_MS
  circuits.begin(MODEL, ANNA)
  circuits.begin(MODEL, BEN)
  assert.deepEqual(allowed(CARL), [false])
  now += OPEN_MS
  assert.deepEqual(allowed(CARL), [true])
})

test('one owner’s failed trial keeps that owner away, and the next owner’s closes it for all', () => {
  openForEveryone()
  now += OPEN_MS
  circuits.begin(MODEL, ANNA)
  fail(ANNA, 1)
  assert.deepEqual(allowed(ANNA, BEN, CARL), [false, true, true])
  circuits.begin(MODEL, CARL)
  circuits.succeeded(MODEL, CARL)
  assert.deepEqual([listed()?.forEveryone, ...allowed(ANNA, BEN, CARL)], ['closed', false, true, true])
})

test('one owner who fails every trial for an hour never keeps the others away', () => {
  openForEveryone()
  for (let round = 0; round < 180; round++) {
    now += OPEN_MS
    assert.deepEqual(allowed(ANNA, CARL), [true, true], `round ${round}`)
    circuits.begin(MODEL, ANNA)
    fail(ANNA, 1)
    assert.deepEqual(allowed(CARL), [true], `round ${round}`)
  }
})

test('two owners’ failed trials open it for everyone again, also where an owner fails for the first time', () => {
  openForEveryone()
  now += OPEN_MS
  for (const one of [ANNA, CARL]) circuits.begin(MODEL, one)
  for (const one of [ANNA, CARL]) fail(one, 1)
  assert.deepEqual(allowed(ANNA, BEN, CARL, requester('dora')), [false, false, false, false])
  assert.equal(circuits.coolDownOf(MODEL, CARL).forMs, OPEN_MS)
})

test('a trial with fields of the caller’s own decides nothing: neither its success nor its failure', () => {
  openForEveryone()
  now += OPEN_MS
  for (const end of ['succeeded', 'failed'] as const) {
    circuits.begin(MODEL, ANNA_ODD)
    if (end === 'succeeded') circuits.succeeded(MODEL, ANNA_ODD)
    else fail(ANNA_ODD, 1)
    assert.equal(listed()?.forEveryone, 'half-open', end)
    assert.deepEqual(allowed(BEN, CARL), [true, true], end)
  }
})

test('a credential that refused one owner is set aside for that owner; for everyone when a second one is refused', () => {
  circuits.coolDown(MODEL, ANNA, { because: 'auth', forMs: REFUSED_KEY_MS })
  circuits.coolDown(MODEL, ANNA, { because: 'auth', forMs: REFUSED_KEY_MS })
  circuits.coolDown(MODEL, CARL_ODD, { because: 'auth', forMs: REFUSED_KEY_MS })
  assert.deepEqual(allowed(ANNA, BEN, CARL, CARL_ODD), [false, true, true, false])
  circuits.coolDown(MODEL, BEN, { because: 'auth', forMs: REFUSED_KEY_MS })
  assert.deepEqual(allowed(CARL), [false])
})

test('everyone waits for as long as two owners were told to, not for the longest wait', () => {
  circuits.coolDown(MODEL, ANNA, { because: 'rate_limited', forMs: REFUSED_KEY_MS })
  circuits.coolDown(MODEL, BEN, { because: 'rate_limited', forMs: 1_000 })
  assert.equal(circuits.coolDownOf(MODEL, CARL).forMs, 1_000)
  now += 1_000
  assert.deepEqual(allowed(ANNA, BEN, CARL), [false, true, true])
})

test('a success of any owner in between: the next refusal is the first again', () => {
  circuits.coolDown(MODEL, ANNA, { because: 'auth', forMs: REFUSED_KEY_MS })
  circuits.succeeded(MODEL, CARL)
  circuits.coolDown(MODEL, BEN, { because: 'auth', forMs: REFUSED_KEY_MS })
  assert.deepEqual(allowed(CARL), [true])
})

test('one owner cannot connect: it is so for everyone when we cannot either, and only then', async () => {
  for (const isThere of [true, false]) {
    const looked: string[] = []
    const canConnect = async (address: string) => looked.push(address) > 0 && isThere
    circuits = new Circuits(() => now, { canConnect })
    fail(ANNA, 4, 'refused')
    assert.deepEqual(looked, [])
    fail(ANNA, 1, 'refused')
    await Promise.resolve()
    assert.deepEqual([looked, allowed(ANNA, CARL)], [['http://fake.test/v1'], [false, isThere]])
  }
})

test('other failures than connecting are never looked at, and a success in the meantime outweighs the look', async () => {
  const looking = Promise.withResolvers<boolean>()
  let looks = 0
  circuits = new Circuits(() => now, { canConnect: () => looking.promise.finally(() => looks++) })
  fail(ANNA, 5, 'server_error')
  fail(ANNA, 1, 'refused')
  circuits.succeeded(MODEL, BEN)
  looking.resolve(false)
  await looking.promise
  await Promise.resolve()
  assert.deepEqual([looks, ...allowed(CARL)], [1, true])
})

test('an owner that invents names pushes out only its own entries', () => {
  fail(BEN, 5)
  for (let index = 0; index < 20_000; index++) circuits.failed(`fake/${index} #0`, ANNA, { because: 'reset' })
  assert.deepEqual([allowed(BEN), circuits.list().length], [[false], 10_000])
})

test('when all targets have recovered, nothing is remembered', () => {
  openForEveryone()
  now += OPEN_MS
  for (const one of [ANNA, BEN]) circuits.begin(MODEL, one)
  for (const one of [ANNA, BEN]) circuits.succeeded(MODEL, one)
  assert.equal(circuits.isQuiet, true)
})

test('the list counts owners and names none', () => {
  openForEveryone()
  fail(requester('an.owner.with.a.name'), 1)
  assert.deepEqual(circuits.list(), [
    {
      name: MODEL,
      state: 'open',
      failures: 5,
      because: 'overloaded',
      retryInMs: OPEN_MS,
      forEveryone: 'open',
      openOwners: 2,
      learnedFrom: undefined,
    },
  ])
})

function requester(owner: string, isCustomized = false): Requester {
  return { caller: { owner }, isCustomized: () => isCustomized }
}

function fail(who: Requester, times: number, because = 'overloaded'): void {
  for (let time = 0; time < times; time++) circuits.failed(MODEL, who, { because, address: 'http://fake.test/v1' })
}

function allowed(...who: Requester[]): boolean[] {
  return who.map((one) => circuits.allows(MODEL, one))
}

function listed() {
  return circuits.list()[0]
}

function openForEveryone(): void {
  fail(ANNA, 5)
  fail(BEN, 5)
  assert.equal(circuits.openForEveryone, 1)
}
