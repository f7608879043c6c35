import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '../config/provider-settings.ts'
import { Problem } from '../contract/problems.ts'
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

/** Targets by what they answer whenever they are asked how far they are. */
function scene(states: Record<string, typeof DONE | Error>, ticket?: TargetTicket, price: TaskTarget['price'] = null) {
  const done: string[] = []
  const kept: TargetTicket[] = []
  const targets = Object.entries(states).map(([id, state]) => ({ ...targetOf(id, slow(id, state, done)), price }))
  const progress: TaskProgress = { ticket, saveTicket: async (one) => void kept.push(one), survives: true }
  const prepared = { feature: research, targets, request: { model: 'web/research_async/first', input } }
  const call = callOf()
  return { run: () => doTask(prepared, call, contextOf(), progress), call, done, kept }
}

function slow(name: string, state: typeof DONE | Error, done: string[]): SlowAdapter {
  return {
    start: async () => {
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

function callOf(): Call {
  const caller = { owner: 'owner', keyId: 'key' } as Call['caller']
  const { signal } = new AbortController()
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
