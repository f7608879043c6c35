import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bill } from '../order.ts'
import { problem } from '../../contract/problems.ts'
import { TaskFailure } from '../../translation/tasks/http/task-failure.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { newSendReport, WireFailure } from '../../translation/wire/wire.ts'
import type { KeptTicket, SlowRequest, SlowStep, TicketStore } from './slow-work.ts'
import { SlowWork } from './slow-work.ts'
import { callWith } from './fixtures/play-targets.ts'

const OVERLOADED = new TaskFailure('overloaded', 'busy', { status: 503, retryAfterSeconds: 9 })
const RELEASED = new Error('released')
const DONE = 'done'
const BILL: Bill = { cost: 1 }
const LIKELY: Bill = { cost: 250 }

type State = 'pending' | typeof DONE | Error
type Scene = {
  store?: Partial<TicketStore<string>> | undefined
  ticket?: string
  /** The operator has removed the credential of that ticket. */
  isCredentialGone?: boolean
  submit?: () => Promise<SlowStep<string, string>>
  cancel?: (ticket: string) => Promise<void>
  afterMs?: number
}

/** A provider that answers as told, one state after the other: what was done with it, and how long was waited. */
function scene(states: State[], { store, ticket, isCredentialGone, submit, cancel, afterMs }: Scene = {}) {
  const done: string[] = []
  const waits: number[] = []
  const stop = new AbortController()
  const call = callWith(stop.signal)
  const kept: KeptTicket<string>[] = []
  const whole: TicketStore<string> = {
    survives: true,
    save: async (one) => {
      kept.push(one)
      done.push(`save ${one.ticket}`)
    },
    moved: async (target) => void done.push(`moved ${target}`),
    ...store,
  }
  const slow = new SlowWork<string>(store === undefined ? undefined : whole)
  const credential = { secret: 's', weight: 1, index: 0 }
  if (ticket !== undefined) {
    const order = call.spending.order(
      { model: { id: 'p/m', provider: { id: 'p' } }, attempt: Symbol(), likelyBill: () => LIKELY },
      { ...newSendReport(), isWritten: true },
    )
    slow.inherit({ target: 'p/m', ticket, credential: isCredentialGone ? undefined : credential }, order)
  }
  const request: SlowRequest<string, string> = {
    likelyBill: () => LIKELY,
    billOf: () => BILL,
    provider: ({ report }) => ({
      submit: async () => {
        done.push('submit')
        report.isWritten = true
        return submit ? await submit() : { done: false, ticket: 'ticket', afterMs: 0 }
      },
      poll: async (one) => {
        done.push(`poll ${one}`)
        const state = states.length > 1 ? states.shift()! : states[0]!
        if (state instanceof Error) throw state
        return state === 'pending' ? { done: false, ticket: one, afterMs } : { done: true, result: state }
      },
      cancel: async (one) => {
        done.push(`cancel ${one}`)
        await cancel?.(one)
      },
    }),
  }
  const services = {
    sleep: async (ms: number, signal: AbortSignal) => {
      waits.push(ms)
      await nextTurn()
      signal.throwIfAborted()
    },
  }
  const attempt = (id = 'p/m') => {
    const orderedModel = { id, provider: { id: id.split('/')[0]! } }
    const span = { spanId: null, traceparent: null }
    return { target: orderedModel, orderedModel, credential, call, services, key: Symbol(), orders: [], span }
  }
  const run = (id?: string) => slow.ask(attempt(id), request)
  return { run, slow, done, waits, stop, call, kept }
}

test('asks ever more seldom, and is submitted once', async () => {
  const { run, done, waits, call } = scene([...Array(10).fill('pending'), DONE], { store: {} })
  assert.equal(await run(), DONE)
  assert.deepEqual(done.slice(0, 3), ['submit', 'save ticket', 'poll ticket'])
  assert.deepEqual(waits.slice(0, 3), [1_000, 1_500, 2_250])
  assert.deepEqual([waits.at(-1), done.filter((one) => one === 'submit').length], [15_000, 1])
  assert.deepEqual([call.spending.total.cost, call.spending.total.estimated], [1, false])
})

test('the ticket of an earlier execution is asked about, and paid by this one', async () => {
  const { run, done, call } = scene([DONE], { store: {}, ticket: 'kept' })
  await run()
  assert.deepEqual([done, call.spending.total.cost], [['poll kept'], 1])
})

test('the provider may say when it wants to be asked again, within bounds', async () => {
  for (const [afterMs, wait] of [
    [5, 100],
    [700, 700],
    [1e9, 30_000],
  ] as const) {
    const { run, waits } = scene(['pending', DONE], { afterMs })
    await run()
    assert.deepEqual(waits, [wait])
  }
})

test('a poll that fails is repeated, after as long as the provider wants', async () => {
  const { run, done, waits } = scene([OVERLOADED, new WireFailure('headers_timeout'), new WireFailure('reset'), DONE])
  assert.equal(await run(), DONE)
  assert.deepEqual([waits, done.filter((one) => one.startsWith('poll')).length], [[9_000, 1_500, 2_250], 4])
})

test('six failed polls in a row fail the attempt, and the next attempt goes on with the ticket', async () => {
  const states: State[] = [...Array(6).fill(OVERLOADED), DONE]
  const { run, done, call } = scene(states)
  await assert.rejects(run(), /busy/)
  assert.deepEqual([done.filter((one) => one.startsWith('poll')).length, call.spending.isKnown], [6, false])
  assert.equal(await run(), DONE)
  assert.deepEqual([done.filter((one) => one === 'submit').length, call.spending.total.cost], [1, 1])
})

test('work that its provider says has failed costs nothing, is not polled again, and is submitted anew', async () => {
  for (const failure of [
    new TaskFailure('context_length', 'given up', { status: 422 }),
    new UpstreamProblem('server_error', 'given up'),
  ]) {
    const { run, done, call } = scene([failure, DONE])
    await assert.rejects(run(), /given up/)
    assert.deepEqual([done, call.spending.total.cost], [['submit', 'poll ticket'], 0])
    assert.equal(await run(), DONE)
    assert.deepEqual([done.slice(2), call.spending.total.cost], [['submit', 'poll ticket'], 1])
  }
})

test('work whose poll is refused goes on at the provider: it is left, ended there, forgotten in the store and submitted anew', async () => {
  for (const [kind, status] of [
    ['auth', 401],
    ['auth', 402],
    ['auth', 403],
    ['model_not_found', 404],
    ['rejected', 405],
    ['bad_request', 400],
    ['unexpected_status', 302],
  ] as const) {
    const { run, done, call } = scene([new TaskFailure(kind, 'not for you', { status }), DONE], { store: {} })
    await assert.rejects(run(), /not for you/)
    const { cost, estimated } = call.spending.total
    assert.deepEqual([cost, estimated, call.spending.isKnown], [250, true, true], kind)
    assert.deepEqual(done, ['submit', 'save ticket', 'poll ticket', 'moved p/m', 'cancel ticket'])
    assert.equal(call.spending.withoutTickets().total.cost, 250)
    assert.equal(await run(), DONE)
    assert.deepEqual([done[5], call.spending.total.cost], ['submit', 251])
  }
})

test('no other account is asked about the ticket of a credential that was removed: its work is left', async () => {
  const { run, slow, done, stop, call } = scene(['pending'], { store: {}, ticket: 'kept', isCredentialGone: true })
  assert.equal(call.spending.total.cost, 250)
  // As long as its ticket is stored, another execution pays for it.
  assert.equal(call.spending.withoutTickets().total.cost, 0)
  const waiting = run()
  await nextTurn()
  stop.abort(RELEASED)
  await assert.rejects(waiting, RELEASED)
  await slow.end(stop.signal)
  assert.deepEqual(done.slice(0, 3), ['submit', 'save ticket', 'poll ticket'])
  assert.ok(!done.includes('poll kept'))
  assert.equal(call.spending.withoutTickets().total.cost, 250)
})

test('a result that the gateway cannot use, because it has no place for it, is paid all the same', async () => {
  const { run, done, call } = scene([problem('unavailable')])
  await assert.rejects(run())
  const { cost, estimated } = call.spending.total
  assert.deepEqual([cost, estimated, done], [250, true, ['submit', 'poll ticket']])
})

test('a restart of ours leaves the work at the provider; the end of its time, or of its caller, ends it there', async () => {
  for (const [reason, survives, isCancelled] of [
    [RELEASED, true, false],
    [problem('upstream_timeout'), true, true],
    [new Error('the caller left'), false, true],
  ] as const) {
    const { run, slow, done, stop, call } = scene(['pending'], { store: { survives } })
    stop.abort(reason)
    await assert.rejects(run(), reason)
    await slow.end(stop.signal)
    assert.equal(done.includes('cancel ticket'), isCancelled, reason.message)
    assert.equal(call.spending.total.cost, isCancelled ? 250 : 0)
  }
})

test('a ticket that could not be stored is good for nothing: the work is ended and paid', async () => {
  const save = async () => Promise.reject(new Error('no store'))
  const { run, done, call } = scene(['pending'], { store: { save } })
  await assert.rejects(run(), /no store/)
  assert.deepEqual([done, call.spending.total.cost], [['submit', 'cancel ticket'], 250])
  assert.equal(call.spending.withoutTickets().total.cost, 250)
})

test('work that is left is paid before it is ended at the provider, which may take long, and only once', async () => {
  const cancelled = Promise.withResolvers<void>()
  const { run, slow, stop, call } = scene([...Array(6).fill(OVERLOADED)], { cancel: () => cancelled.promise })
  await assert.rejects(run('a/one'))
  await assert.rejects(run('b/two'))
  const ending = slow.end(stop.signal)
  await nextTurn()
  assert.equal(call.spending.total.cost, 500)
  cancelled.resolve()
  await ending
  assert.equal(call.spending.total.cost, 500)
})

test('a provider that fails to end the work fails nothing', async () => {
  const { run, slow, stop, call } = scene([OVERLOADED], { cancel: () => Promise.reject(new Error('no')) })
  await assert.rejects(run())
  await slow.end(stop.signal)
  assert.equal(call.spending.total.cost, 250)
})

test('an execution that another one follows pays for tickets that were replaced in the store, and not for the last one', async () => {
  const { run, slow, done, stop, call } = scene([...Array(6).fill(OVERLOADED), 'pending', DONE], { store: {} })
  await assert.rejects(run('a/one'))
  await slow.moveTo('b/two')
  assert.deepEqual(done.slice(-2), ['moved b/two', 'cancel ticket'])
  assert.equal(await run('b/two'), DONE)
  await slow.end(stop.signal)
  assert.deepEqual([call.spending.total.cost, call.spending.withoutTickets().total.cost], [251, 250])
})

test('a result of no use is paid by the execution that got it, once the ticket of another target is stored', async () => {
  const { run, slow, stop, call } = scene([DONE, 'pending', 'pending'], { store: {} })
  await run('a/one')
  assert.equal(call.spending.withoutTickets().total.cost, 0)
  // As if the result had been unreadable: another target is asked, and its ticket replaces the first one.
  await slow.moveTo('b/two')
  const waiting = run('b/two')
  await nextTurn()
  stop.abort(RELEASED)
  await assert.rejects(waiting, RELEASED)
  await slow.end(stop.signal)
  assert.deepEqual([call.spending.total.cost, call.spending.withoutTickets().total.cost], [1, 1])
})

test('of all work of an interrupted execution, only that whose ticket is stored is handed over', async () => {
  const { run, slow, done, stop, call } = scene([...Array(6).fill(OVERLOADED), 'pending'], { store: {} })
  await assert.rejects(run('a/one'))
  // Its ticket replaces the first one in the store.
  const waiting = run('b/two')
  await nextTurn()
  stop.abort(RELEASED)
  await assert.rejects(waiting, RELEASED)
  await slow.end(stop.signal)
  assert.deepEqual([call.spending.total.cost, call.spending.withoutTickets().total.cost], [250, 250])
  assert.equal(done.filter((one) => one === 'cancel ticket').length, 1)
})

test('inherited work that was never asked for is left when another target takes over', async () => {
  const { run, slow, done, stop, call } = scene(['pending'], { store: {}, ticket: 'kept' })
  await slow.moveTo('b/two')
  assert.deepEqual([done, call.spending.withoutTickets().total.cost], [['moved b/two'], 250])
  const waiting = run('b/two')
  await nextTurn()
  stop.abort(RELEASED)
  await assert.rejects(waiting, RELEASED)
  await slow.end(stop.signal)
  assert.deepEqual([call.spending.total.cost, call.spending.withoutTickets().total.cost], [250, 250])
})
