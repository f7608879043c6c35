import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Deadline } from './deadline.ts'

test('it fires once, when it is due', (context) => {
  const { deadline, pass, fired } = setUp(context)
  deadline.set(100)
  pass(99)
  assert.deepEqual(fired, [])
  pass(1_000)
  assert.deepEqual(fired, [100])
})

test('moved on all the time it never fires, and one timer at a time is all that it takes', (context) => {
  const { deadline, pass, fired, started } = setUp(context)
  for (let moves = 0; moves < 1_000; moves++) {
    deadline.set(100)
    pass(1)
  }
  assert.deepEqual(fired, [])
  assert.ok(started() <= 11, `${started()} timers`)
  pass(1_000)
  assert.deepEqual(fired, [1_099])
})

test('moved forward it fires earlier', (context) => {
  const { deadline, pass, fired } = setUp(context)
  deadline.set(1_000)
  pass(10)
  deadline.set(20)
  pass(2_000)
  assert.deepEqual(fired, [30])
})

test('lifted it does not fire; set again it does', (context) => {
  const { deadline, pass, fired } = setUp(context)
  deadline.set(100)
  deadline.lift()
  pass(50)
  deadline.set(500)
  pass(100)
  deadline.lift()
  pass(1_000)
  assert.deepEqual(fired, [])
  deadline.set(10)
  pass(10)
  assert.deepEqual(fired, [1_160])
})

test('it can be set again after it has fired, also inside of its callback', (context) => {
  const { deadline, pass, fired } = setUp(context, () => fired.length < 3 && deadline.set(100))
  deadline.set(100)
  pass(1_000)
  assert.deepEqual(fired, [100, 200, 300])
})

test('a timer that fires early sleeps for the rest', (context) => {
  const { deadline, pass, fired, slow } = setUp(context)
  deadline.set(100)
  slow(3)
  pass(102)
  assert.deepEqual(fired, [])
  pass(1)
  assert.deepEqual(fired, [100])
})

test('ended it never fires, and is not woken again', (context) => {
  const { deadline, pass, fired, started } = setUp(context)
  deadline.set(100)
  pass(10)
  deadline.end()
  const before = started()
  for (const ms of [1, 100, 1_000_000]) deadline.set(ms)
  pass(2_000)
  assert.deepEqual([fired, started()], [[], before])
})

test('ended when it has fired it is not woken again either', (context) => {
  const { deadline, pass, fired, started } = setUp(context, () => deadline.end())
  deadline.set(100)
  pass(100)
  deadline.set(100)
  pass(100)
  assert.deepEqual([fired, started()], [[100], 1])
})

test('a limit of months does not fire at once, and one without end never', (context) => {
  const { deadline, pass, fired, waits } = setUp(context)
  deadline.set(Number.POSITIVE_INFINITY)
  deadline.set(2 ** 32)
  pass(10)
  assert.deepEqual([fired, waits], [[], [2 ** 31 - 1]])
})

/** A simulated clock and timers; `slow` lets the clock lag behind the timers. */
function setUp(context: TestContext, onDue: () => unknown = () => undefined) {
  let now = 0
  const fired: number[] = []
  const waits: number[] = []
  context.mock.timers.enable({ apis: ['setTimeout'] })
  context.mock.method(performance, 'now', () => now)
  const start = globalThis.setTimeout
  context.mock.method(globalThis, 'setTimeout', (act: () => void, ms: number) => {
    waits.push(ms)
    return start(act, ms)
  })
  const deadline = new Deadline(() => {
    fired.push(now)
    onDue()
  })
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed++) {
      now++
      context.mock.timers.tick(1)
    }
  }
  return { deadline, pass, fired, waits, started: () => waits.length, slow: (ms: number) => (now -= ms) }
}
