import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuardrailTable } from '../../tenants/guardrails/guardrail-table.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { DEFAULT_TIMEOUTS } from '../../platform/config/timeouts.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { TaskFailure } from '../../translation/tasks/http/task-failure.ts'
import type { SlowAdapter } from '../../translation/tasks/feature.ts'
import research from '../../translation/tasks/web/research_async/feature.ts'
import { type Call, newCall } from '../../calls/call.ts'
import { Circuits } from '../../calls/attempts/circuits.ts'
import { Reservation } from '../../money/limits/reservation.ts'
import { WireFailure, type WireRequest } from '../../translation/wire/wire.ts'
import { MemoryBudget } from '../../calls/memory-budget.ts'
import { Metrics } from '../../platform/telemetry/metrics.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { RetryBudget } from '../../calls/attempts/retry-budget.ts'
import { Observations } from '../../calls/attempts/observations.ts'
import type { TaskTarget } from './task-targets.ts'
import { doTask, type JobTickets, type TargetTicket } from './do-task.ts'
import { earlierOf } from '../../jobs/execute-task.ts'

const { input, output } = research.example
const DONE = { output, original: null, units: 1 }
const OVERLOADED = new TaskFailure('overloaded', 'busy')
const GARBAGE = new TaskFailure('garbage', 'nonsense')
const FAILED = new TaskFailure('context_length', 'the provider could not do the task')

test('a task that is given up on is ended before another target begins, which a restart goes on with', async () => {
  const { run, done, kept } = scene({ first: OVERLOADED, second: DONE })
  assert.equal((await run()).target.id, 'second')
  assert.deepEqual(done, ['start first', 'cancel first', 'start second'])
  assert.deepEqual(kept, [
    { target: 'first', value: 'first', credential: 0 },
    { target: 'second', value: undefined },
    { target: 'second', value: 'second', credential: 0 },
  ])
})

test('a task that came to nothing at the provider is not ended there once more', async () => {
  const { run, done } = scene({ first: FAILED, second: DONE })
  await run()
  assert.deepEqual(done, ['start first', 'start second'])
})

test('a further attempt goes on with the same ticket; when no target is left to ask, the work is ended', async () => {
  const { run, done } = scene({ only: OVERLOADED })
  await assert.rejects(run(), Problem)
  assert.deepEqual(done, ['start only', 'cancel only'])
})

test('a restart after the first was left begins with the second', async () => {
  const { run, done } = scene({ first: DONE, second: DONE }, { target: 'second', value: undefined })
  assert.equal((await run()).target.id, 'second')
  assert.deepEqual(done, ['start second'])
})

test('an answer that stays unreadable may have been billed, as is estimated; at a free provider it costs nothing', async () => {
  for (const [price, paid] of [
    [null, [null, true]],
    [{ unit: 'page', price: 3, per: 1 }, [3 * MOST_CREDITS, true]],
    [{ unit: 'page', price: 0, per: 1 }, [0, false]],
  ] as const) {
    const { run, paidFor } = scene({ first: GARBAGE }, undefined, price as TaskTarget['price'])
    await assert.rejects(run(), Problem)
    assert.deepEqual(paidFor(), paid)
  }
})

test('limits of a provider alone are charged for its unreadable answer, although another one does the task', async () => {
  const { run, call } = scene({ first: GARBAGE, second: DONE })
  const charged: string[] = []
  const settling = { processName: 'p', overran() {}, settled() {} }
  const reservation = call.spending.reserveWith(() => new Reservation(settling))
  reservation.settle = (uses) => {
    for (const { model } of uses) charged.push(model)
    return null
  }
  assert.equal((await run()).target.id, 'second')
  call.spending.close()
  assert.deepEqual(charged, ['first', 'second'])
})

const PRICE = { unit: 'credit', price: 2, per: 1 } as TaskTarget['price']
const MOST_CREDITS = 250
const STOPPED = problem('conflict')
const REQUEST: WireRequest = { method: 'POST', url: 'http://127.0.0.1:9', headers: {}, body: null }

test('an order that the call has left is paid before it is ended at the provider, which may take long, and only once', async () => {
  const cancelled = Promise.withResolvers<void>()
  const { run, paidFor, stop, adapters } = scene({ only: OVERLOADED }, undefined, PRICE)
  adapters.only!.poll = () => stopped(stop)
  adapters.only!.cancel = () => cancelled.promise
  const running = run()
  while (!stop.signal.aborted) await nextTurn()
  await nextTurn()
  assert.deepEqual(paidFor(), [2 * MOST_CREDITS, true])
  cancelled.resolve()
  await assert.rejects(running, STOPPED)
  assert.deepEqual(paidFor(), [2 * MOST_CREDITS, true])
})

test('a caller who leaves between two attempts pays for the ticket; an interruption leaves that to the next execution', async () => {
  for (const [reason, paid] of [
    [STOPPED, [2 * MOST_CREDITS, true]],
    [new Error('released'), [0, false]],
  ] as const) {
    const { run, paidFor, stop, services } = scene({ only: OVERLOADED }, undefined, PRICE)
    let polls = 0
    services.sleep = async () => (++polls > 5 ? stop.abort(reason) : undefined)
    await assert.rejects(run(), reason)
    assert.deepEqual(paidFor(), paid)
  }
})

test('a task of an earlier execution is paid by the one that is cancelled, although that has sent nothing', async () => {
  const { run, paidFor, stop, adapters } = scene(
    { only: DONE },
    { target: 'only', value: 'kept', credential: 0 },
    PRICE,
  )
  adapters.only!.poll = () => stopped(stop)
  await assert.rejects(run(), STOPPED)
  assert.deepEqual(paidFor(), [2 * MOST_CREDITS, true])
})

test('an execution that ends before it asks for the result, and does not end the job, has nothing to pay', () => {
  const { call } = scene({ only: DONE }, { target: 'only', value: 'kept', credential: 0 }, PRICE)
  call.spending.close()
  assert.deepEqual([call.spending.total.cost, call.spending.withoutTickets().total.cost], [null, 0])
})

test('a ticket that another execution does not get is paid by the one that has lost the job', async () => {
  const lost = new Error('lost')
  const { run, paidFor, stop, tickets } = scene({ only: DONE }, undefined, PRICE)
  tickets.save = async () => {
    stop.abort(lost)
    throw lost
  }
  await assert.rejects(run(), lost)
  assert.deepEqual(paidFor(), [2 * MOST_CREDITS, true])
})

test('a provider of a task that is given up is paid as an estimate, besides the one that does the task', async () => {
  for (const kind of ['headers_timeout', 'idle_timeout'] as const) {
    const { run, paidFor, call, adapters } = scene({ first: DONE, second: DONE }, undefined, PRICE)
    adapters.first!.start = async (_, { send, signal, timeouts }) => {
      await send(REQUEST, { signal, timeouts })
      throw new WireFailure(kind)
    }
    assert.equal((await run()).target.id, 'second')
    assert.deepEqual([paidFor(), call.spending.answered.cost], [[2 * MOST_CREDITS + 2, true], 2])
  }
})

async function stopped(stop: AbortController): Promise<never> {
  stop.abort(STOPPED)
  throw STOPPED
}

/** Targets by what they answer whenever they are asked how far they are. */
function scene(states: Record<string, typeof DONE | Error>, ticket?: TargetTicket, price: TaskTarget['price'] = null) {
  const done: string[] = []
  const kept: TargetTicket[] = []
  const stop = new AbortController()
  const call = callOf(stop.signal)
  const adapters: Record<string, SlowAdapter> = {}
  for (const [id, state] of Object.entries(states)) adapters[id] = slow(id, state, done)
  const targets = Object.entries(adapters).map(([id, adapter]) => ({ ...targetOf(id, adapter), price }))
  const tickets: JobTickets = { earlier: earlierOf({ ticket }, call), save: async (one) => void kept.push(one) }
  const prepared = { feature: research, targets, request: { model: 'web/research_async/first', input } }
  const services = servicesOf()
  const paidFor = () => [call.spending.total.cost, call.spending.total.estimated]
  const run = () => doTask(prepared, call, services, tickets)
  return { run, call, paidFor, done, kept, stop, adapters, tickets, services }
}

/** Asking the provider is a request of its own, which the fake services write. */
function slow(name: string, state: typeof DONE | Error, done: string[]): SlowAdapter {
  return {
    start: async (_, { send, signal, timeouts }) => {
      await send(REQUEST, { signal, timeouts })
      done.push(`start ${name}`)
      return name
    },
    poll: async () => {
      if (state instanceof Error) throw state
      return state
    },
    cancel: async (ticket) => void done.push(`cancel ${ticket}`),
  }
}

function targetOf(id: string, adapter: SlowAdapter): TaskTarget {
  const provider = { id, name: id, baseUrl: 'http://127.0.0.1:9', credentials: [{ secret: 'secret', weight: 1 }] }
  return {
    id,
    feature: research,
    provider: provider as Partial<Provider> as Provider,
    model: null,
    doer: { kind: 'adapter', load: async () => adapter as never },
    price: null,
  }
}

function callOf(signal: AbortSignal): Call {
  const caller = { owner: 'owner', keyId: 'key' } as Call['caller']
  return newCall({ id: 'call', caller, endpoint: 'universal', startedAt: 0, signal, wantsMetadata: false })
}

function servicesOf(): CallServices {
  const services: Partial<CallServices> = {
    guardrails: new GuardrailTable(),
    now: () => 0,
    monotonic: () => 0,
    backOffMs: () => 1,
    retries: new RetryBudget({ toBeginWith: 100 }),
    spendLimits: { reserve: () => undefined, mayCharge() {} } as unknown as CallServices['spendLimits'],
    circuits: new Circuits(() => 0),
    metrics: new Metrics(),
    observations: new Observations(() => 0),
    files: { maxFileBytes: 0 } as CallServices['files'],
    config: { dataDir: 'nowhere' } as CallServices['config'],
    memory: new MemoryBudget({ capacity: 0 }),
    sleep: async () => {},
    timeouts: DEFAULT_TIMEOUTS,
    send: async (_, { report }) => {
      report!.isWritten = true
      return { status: 200, headers: {}, body: nothing() }
    },
  }
  return services as CallServices
}

async function* nothing() {}
