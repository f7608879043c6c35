import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANY_CALLER } from '../../test/fakes/any-caller.ts'
import { randomNumbers } from '../../test/fakes/random-numbers.ts'
import { sample } from '../../test/soak/sample.ts'
import type { CallServices } from '../app/call-services.ts'
import { Circuits } from '../attempts/circuits.ts'
import { Observations } from '../attempts/observations.ts'
import { RetryBudget } from '../attempts/retry-budget.ts'
import { runParts } from '../attempts/run-call.ts'
import { isInterrupted } from '../attempts/slow-work.ts'
import { newCall } from '../calls/call.ts'
import { lineOfJob } from '../calls/close-call.ts'
import { MemoryBudget } from '../calls/memory-budget.ts'
import type { Provider } from '../config/provider-settings.ts'
import { DEFAULT_TIMEOUTS } from '../config/timeouts.ts'
import { problem } from '../contract/problems.ts'
import { StoreUnavailable } from '../store/database.ts'
import { TaskFailure } from '../tasks/http/task-failure.ts'
import type { SlowAdapter } from '../tasks/feature.ts'
import research from '../tasks/web/research_async/feature.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { doTask, type TargetTicket } from '../universal/do-task.ts'
import type { TaskTarget } from '../universal/task-route.ts'
import { type Send, WireFailure, type WireRequest } from '../wire/wire.ts'
import { earlierOf } from './execute-task.ts'

// A job runs in one execution after the other, and sometimes in two at once. Whatever happens to them, all of its ledger lines together
// pay for each submission to a provider once.

const { input, output } = research.example
const REQUEST: WireRequest = { method: 'POST', url: 'http://127.0.0.1:9', headers: {}, body: null }
const MOST_CREDITS = 250
const LAST = 5

/** Prices are so far apart that a sum shows how many units of each target were paid: 1 for a result, 250 for what was left. */
const BASE = 10_000

type Submission = { target: number; state: 'refused' | 'running' | 'done' | 'failed' }

class World {
  readonly #random: () => number
  readonly submissions: Submission[] = []
  readonly costs: (number | null)[] = []
  /** What the store has of the job. */
  ticket: TargetTicket | undefined
  owner = 0
  isFinished = false

  constructor(seed: number) {
    this.#random = randomNumbers(seed)
  }

  isOf(chance: number): boolean {
    return this.#random() < chance
  }

  /** The provider of a target: it has a name for each submission, and knows them for ever. */
  adapterOf(target: number): SlowAdapter {
    return {
      start: async (_, { send, signal, timeouts }) => {
        const submission: Submission = { target, state: 'refused' }
        const number = this.submissions.push(submission) - 1
        await nextTurn()
        signal.throwIfAborted()
        if (this.isOf(0.1)) throw new WireFailure('refused')
        await send(REQUEST, { signal, timeouts })
        submission.state = 'running'
        await nextTurn()
        signal.throwIfAborted()
        if (this.isOf(0.05)) throw new WireFailure('headers_timeout')
        if (!this.isOf(0.1)) return number
        submission.state = 'refused'
        throw new TaskFailure('overloaded', 'busy', { status: 503 })
      },
      poll: async (ticket, { signal }) => {
        await nextTurn()
        signal.throwIfAborted()
        const submission = this.submissions[Number(ticket)]!
        if (this.isOf(0.5)) throw new TaskFailure('overloaded', 'busy', { status: 503 })
        if (submission.state === 'running' && this.isOf(0.4)) submission.state = this.isOf(0.2) ? 'failed' : 'done'
        if (submission.state === 'failed') throw new TaskFailure('context_length', 'it failed', { status: 422 })
        if (submission.state === 'running') return 'pending'
        // Some results are of no use: another target is asked.
        const isUseless = Number(ticket) % 4 === 3
        return { output: isUseless ? {} : output, original: null, units: 1 }
      },
      cancel: async () => {
        await nextTurn()
        if (this.isOf(0.5)) throw new Error('it cannot be ended')
      },
    }
  }

  /** One execution, from its claim to its line. The last one is not interrupted. */
  async execute(targets: readonly TaskTarget[], services: CallServices): Promise<void> {
    const attempt = ++this.owner
    const stop = new AbortController()
    const isLast = attempt >= LAST
    const call = newCall({
      ...{ id: 'job', caller: ANY_CALLER, endpoint: 'universal', startedAt: 0, wantsMetadata: false, isJob: true },
      signal: stop.signal,
    })
    const ticket = this.ticket && (JSON.parse(JSON.stringify(this.ticket)) as TargetTicket)
    const save = async (one: TargetTicket) => {
      await nextTurn()
      if (!isLast && this.isOf(0.1)) throw new StoreUnavailable('away')
      if (this.owner === attempt) this.ticket = one
      else stop.abort(new Error('lost'))
      stop.signal.throwIfAborted()
    }
    const sleep = async () => {
      await nextTurn()
      if (this.isOf(0.01)) stop.abort(problem('upstream_timeout'))
      if (!isLast && this.isOf(0.05)) stop.abort(new Error('released'))
      // Another process takes the job over, and this one does not know.
      const isTaken = !stop.signal.aborted && !isLast && this.owner === attempt && this.isOf(0.05)
      if (isTaken) this.running.push(this.execute(targets, services))
      stop.signal.throwIfAborted()
    }
    const own = { ...services, sleep }
    const prepared = { feature: research, targets: [...targets], request: { model: 'web/research_async/t0', input } }
    const tickets = { earlier: earlierOf({ ticket }, call), save }
    const failure = await runParts(() => doTask(prepared, call, own, tickets), call, own).then(
      () => undefined,
      (error: unknown) => error,
    )
    const endsJob = !isInterrupted(stop.signal) && !(failure instanceof StoreUnavailable) && this.owner === attempt
    if (endsJob) this.isFinished = true
    this.costs.push(lineOfJob(call, own, endsJob).cost)
    if (this.owner === attempt && !this.isFinished) await this.execute(targets, services)
  }

  readonly running: Promise<void>[] = []
}

test('all lines of a job pay for each submission once, whatever happens to its executions', async () => {
  let [executions, submitted] = [0, 0]
  for (let seed = 1; seed <= sample(300, 20_000); seed++) {
    const world = new World(seed)
    const targets = Array.from({ length: 1 + (seed % 3) }, (_, index) => targetOf(index, world))
    await world.execute(targets, servicesOf())
    // Executions may start others meanwhile.
    for (const one of world.running) await one
    const where = `seed ${seed}: ${world.costs.join(' + ')}`
    const total = Math.round(world.costs.reduce<number>((sum, cost) => sum + cost!, 0))
    for (const [index] of targets.entries()) {
      const units = Math.floor(total / BASE ** index) % BASE
      const paid = (units % MOST_CREDITS) + Math.floor(units / MOST_CREDITS)
      const billed = world.submissions.filter(({ target, state }) => {
        return target === index && (state === 'running' || state === 'done')
      })
      assert.equal(paid, billed.length, where)
    }
    assert.ok(world.isFinished, where)
    executions += world.owner
    submitted += world.submissions.length
  }
  assert.ok(executions > 400 && submitted > 300, `${executions} executions, ${submitted} submissions`)
})

function targetOf(index: number, world: World): TaskTarget {
  const id = `t${index}`
  const provider = { id, name: id, baseUrl: 'http://127.0.0.1:9', credentials: [{ secret: 'secret', weight: 1 }] }
  return {
    ...{ id, feature: research, provider: provider as Partial<Provider> as Provider, model: null },
    doer: { kind: 'adapter', load: async () => world.adapterOf(index) },
    price: { unit: 'credit', price: BASE ** index, per: 1 },
  }
}

function servicesOf(): CallServices {
  const send: Send = async (_, { trace }) => {
    trace!.isWritten = true
    return { status: 200, headers: {}, body: nothing() }
  }
  const services: Partial<CallServices> = {
    now: () => 0,
    monotonic: () => 0,
    backOffMs: () => 1,
    retries: new RetryBudget({ toBeginWith: 100 }),
    spendLimits: { admit: () => undefined } as unknown as CallServices['spendLimits'],
    circuits: new Circuits(() => 0),
    metrics: new Metrics(),
    observations: new Observations(() => 0),
    files: { maxFileBytes: 0 } as CallServices['files'],
    config: { dataDir: 'nowhere' } as CallServices['config'],
    memory: new MemoryBudget({ capacity: 0 }),
    timeouts: DEFAULT_TIMEOUTS,
    loopSlot: async () => {},
    send,
  }
  return services as CallServices
}

async function* nothing() {}
