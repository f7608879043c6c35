import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Provider } from '../config/provider-settings.ts'
import { Problem, problem } from '../contract/problems.ts'
import { TaskFailure } from '../tasks/http/task-failure.ts'
import type { SlowAdapter } from '../tasks/feature.ts'
import research from '../tasks/web/research_async/feature.ts'
import { type Call, newCall } from '../calls/call.ts'
import { Circuits } from '../attempts/circuits.ts'
import { MemoryBudget } from '../calls/memory-budget.ts'
import { Metrics } from '../telemetry/metrics.ts'
import type { AppContext } from '../app/context.ts'
import { RetryBudget } from '../attempts/retry-budget.ts'
import { Observations } from '../attempts/observations.ts'
import type { TaskTarget } from './task-route.ts'
import { doTask, type TaskProgress, type TargetTicket } from './do-task.ts'

const { input, output } = research.example
const DONE = { output, original: null, units: 1 }
const OVERLOADED = new TaskFailure('overloaded', 'busy')
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

test('asked again with the same ticket it is left alone; when nobody is left to ask it is ended', async () => {
  const { run, done } = scene({ only: OVERLOADED })
  await assert.rejects(run(), Problem)
  assert.deepEqual(done, ['start only', 'cancel only'])
})

test('a restart after the first was left begins with the second', async () => {
  const { run, done } = scene({ first: DONE, second: DONE }, { target: 'second', value: undefined })
  assert.equal((await run()).target.id, 'second')
  assert.deepEqual(done, ['start second'])
})

test('an unreadable answer has been billed, so the cost is not known; at a free provider it is 0', async () => {
  for (const [price, cost] of [
    [null, null],
    [{ unit: 'page', price: 3, per: 1 }, null],
    [{ unit: 'page', price: 0, per: 1 }, 0],
  ] as const) {
    const { run, call } = scene(
      { first: new TaskFailure('garbage', 'nonsense') },
      undefined,
      price as TaskTarget['price'],
    )
    await assert.rejects(run(), Problem)
    assert.equal(call.earlierCost, cost)
  }
})

test('limits of a provider alone are charged for its unreadable answer, although another one does the task', async () => {
  const { run, call } = scene({ first: new TaskFailure('garbage', 'nonsense'), second: DONE })
  const paid: string[] = []
  call.reservation = { paid: (model: string) => void paid.push(model) } as never
  assert.equal((await run()).target.id, 'second')
  assert.deepEqual(paid, ['first'])
})

const PRICE = { unit: 'credit', price: 2, per: 1 } as TaskTarget['price']
const MOST_CREDITS = 250
const STOPPED = problem('conflict')

test('what nobody wants any more is paid before it is ended at the provider, which may take long, and only once', async () => {
  const cancelled = Promise.withResolvers<void>()
  const { run, call, stop, adapters } = scene({ only: OVERLOADED }, undefined, PRICE)
  adapters.only!.poll = () => stopped(stop)
  adapters.only!.cancel = () => cancelled.promise
  const running = run()
  while (!stop.signal.aborted) await nextTurn()
  await nextTurn()
  assert.deepEqual([call.cost, call.estimated], [2 * MOST_CREDITS, true])
  cancelled.resolve()
  await assert.rejects(running, STOPPED)
  assert.equal(call.cost, 2 * MOST_CREDITS)
})

test('a caller who leaves between two attempts pays for the ticket; whoever is interrupted leaves that to the next execution', async () => {
  for (const [reason, cost] of [
    [STOPPED, 2 * MOST_CREDITS],
    [new Error('released'), null],
  ] as const) {
    const { run, call, stop, context } = scene({ only: OVERLOADED }, undefined, PRICE)
    let polls = 0
    context.sleep = async () => (++polls > 5 ? stop.abort(reason) : undefined)
    await assert.rejects(run(), reason)
    assert.equal(call.cost, cost)
  }
})

test('a task of an earlier execution is paid by the one that is cancelled, although that has sent nothing', async () => {
  const { run, call, stop, adapters } = scene({ only: DONE }, { target: 'only', value: 'kept' }, PRICE)
  call.wire.isWritten = false
  adapters.only!.poll = () => stopped(stop)
  await assert.rejects(run(), STOPPED)
  assert.equal(call.cost, 2 * MOST_CREDITS)
})

test('a ticket that another execution does not get is paid by the one that has lost the job', async () => {
  const lost = new Error('lost')
  const { run, call, stop, progress } = scene({ only: DONE }, undefined, PRICE)
  progress.saveTicket = async () => {
    stop.abort(lost)
    throw lost
  }
  await assert.rejects(run(), lost)
  assert.equal(call.cost, 2 * MOST_CREDITS)
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
  for (const [id, state] of Object.entries(states)) adapters[id] = slow(id, { state, done, call })
  const targets = Object.entries(adapters).map(([id, adapter]) => ({ ...targetOf(id, adapter), price }))
  const progress: TaskProgress = { ticket, saveTicket: async (one) => void kept.push(one), survives: true }
  const prepared = { feature: research, targets, request: { model: 'web/research_async/first', input } }
  const context = contextOf()
  return { run: () => doTask(prepared, call, context, progress), call, done, kept, stop, adapters, progress, context }
}

type Slow = { state: typeof DONE | Error; done: string[]; call: Call }

function slow(name: string, { state, done, call }: Slow): SlowAdapter {
  return {
    start: async () => {
      call.wire.isWritten = true
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

function contextOf(): AppContext {
  const context: Partial<AppContext> = {
    now: () => 0,
    monotonic: () => 0,
    backOffMs: () => 1,
    retries: new RetryBudget({ toBeginWith: 100 }),
    spendLimits: { admit: () => undefined } as unknown as AppContext['spendLimits'],
    circuits: new Circuits(() => 0),
    metrics: new Metrics(),
    observations: new Observations(() => 0),
    files: { maxFileBytes: 0 } as AppContext['files'],
    config: { dataDir: 'nowhere' } as AppContext['config'],
    memory: new MemoryBudget({ capacity: 0 }),
    sleep: async () => {},
  }
  return context as AppContext
}
