import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuardrailTable } from '../tenants/guardrails/guardrail-table.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANY_CALLER } from '../../test/fakes/any-caller.ts'
import { randomNumbers } from '../../test/fakes/random-numbers.ts'
import { sample } from '../../test/soak/sample.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import { Circuits } from '../calls/attempts/circuits.ts'
import { Observations } from '../calls/attempts/observations.ts'
import { RetryBudget } from '../calls/attempts/retry-budget.ts'
import { runParts } from '../calls/attempts/run-call.ts'
import { isInterrupted } from '../calls/attempts/slow-work.ts'
import { newCall } from '../calls/call.ts'
import { lineOfExecution } from '../calls/close-call.ts'
import { MemoryBudget } from '../calls/memory-budget.ts'
import type { Provider } from '../platform/config/provider-settings.ts'
import { DEFAULT_TIMEOUTS } from '../platform/config/timeouts.ts'
import { problem } from '../contract/problems.ts'
import { StoreUnavailable } from '../platform/store/database.ts'
import { TaskFailure } from '../translation/tasks/http/task-failure.ts'
import type { ProblemKind } from '../translation/wire/upstream-problem.ts'
import type { SlowAdapter } from '../translation/tasks/feature.ts'
import research from '../translation/tasks/web/research_async/feature.ts'
import { Metrics } from '../platform/telemetry/metrics.ts'
import { doTask, type TargetTicket } from '../endpoints/universal/do-task.ts'
import type { TaskTarget } from '../endpoints/universal/task-targets.ts'
import { type Send, WireFailure, type WireRequest } from '../translation/wire/wire.ts'
import { earlierOf } from './execute-task.ts'

// A job runs in one execution after the other, and sometimes in two at once. Whatever happens to them, all of its ledger lines together
// pay for each submission to a provider once.

const { input, output } = research.example
const REQUEST: WireRequest = { method: 'POST', url: 'http://127.0.0.1:9', headers: {}, body: null }
const MOST_CREDITS = 250
const LAST = 5

/** Prices are so far apart that a sum shows how many units of each target were paid: 1 for a result, 250 for what was left. */
const BASE = 10_000

type Submission = {
  target: number
  state: 'refused' | 'running' | 'done' | 'failed'
  /** What the provider knows the account by. */
  account: string | undefined
  isCancelled: boolean
  /** A further execution got its ticket. */
  isInherited: boolean
}

const ACCOUNTS = ['one', 'two']
const REFUSALS: readonly [ProblemKind, number][] = [
  ['auth', 401],
  ['auth', 402],
  ['model_not_found', 404],
  ['rejected', 405],
]

class World {
  readonly #random: () => number
  readonly #targetCount: number
  readonly submissions: Submission[] = []
  readonly costs: (number | null)[] = []
  /** What the store has of the job. */
  ticket: TargetTicket | undefined
  owner = 0
  isFinished = false
  readonly faults: string[] = []
  /** The time of the job is over, in one of its executions. */
  isOver = false

  constructor(seed: number) {
    this.#random = randomNumbers(seed)
    this.#targetCount = 1 + (seed % 3)
  }

  isOf(chance: number): boolean {
    return this.#random() < chance
  }

  /** The provider of a target: it has a name for each submission, and knows them for ever. */
  adapterOf(target: number, execution: number): SlowAdapter {
    return {
      start: async (_, { send, authorize, signal, timeouts }) => {
        const account = (await authorize(REQUEST)).headers.authorization
        const submission: Submission = { target, state: 'refused', account, isCancelled: false, isInherited: false }
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
      poll: async (ticket, { authorize, signal }) => {
        await nextTurn()
        signal.throwIfAborted()
        const submission = this.submissions[Number(ticket)]!
        const { authorization } = (await authorize(REQUEST)).headers
        if (authorization !== submission.account) this.faults.push(`${ticket} is asked for by ${authorization}`)
        const isOwner = this.owner === execution
        if (submission.isCancelled && isOwner && !this.isOver) this.faults.push(`${ticket} was ended, and is asked for`)
        if (this.isOf(0.05)) throw new TaskFailure(...this.refusal())
        if (this.isOf(0.5)) throw new TaskFailure('overloaded', 'busy', { status: 503 })
        if (submission.state === 'running' && this.isOf(0.4)) submission.state = this.isOf(0.2) ? 'failed' : 'done'
        if (submission.state === 'failed') throw new TaskFailure('context_length', 'it failed', { status: 422 })
        if (submission.state === 'running') return 'pending'
        // Some results are of no use: another target is asked.
        const isUseless = Number(ticket) % 4 === 3
        return { output: isUseless ? {} : output, original: null, units: 1 }
      },
      cancel: async (ticket) => {
        // An execution that has lost the job, and does not know it yet, may end what another one goes on with.
        if (this.owner === execution) this.submissions[Number(ticket)]!.isCancelled = true
        await nextTurn()
        if (this.isOf(0.5)) throw new Error('it cannot be ended')
      },
    }
  }

  refusal(): [ProblemKind, string, { status: number }] {
    const [kind, status] = REFUSALS[Math.floor(this.#random() * REFUSALS.length)]!
    return [kind, 'no', { status }]
  }

  /** What the operator has configured at the moment. */
  targets(execution: number): TaskTarget[] {
    const accounts = this.isOf(0.1) ? ACCOUNTS.slice(1) : ACCOUNTS
    return Array.from({ length: this.#targetCount }, (_, index) =>
      targetOf(index, accounts, this.adapterOf(index, execution)),
    )
  }

  /** One execution, from its claim to its line. The last one is not interrupted. */
  async execute(): Promise<void> {
    const attempt = ++this.owner
    const stop = new AbortController()
    const isLast = attempt >= LAST
    const call = newCall({
      id: 'job',
      caller: ANY_CALLER,
      endpoint: 'universal',
      startedAt: 0,
      wantsMetadata: false,
      isJob: true,
      signal: stop.signal,
    })
    const ticket = this.ticket && (JSON.parse(JSON.stringify(this.ticket)) as TargetTicket)
    if (ticket?.value !== undefined) this.submissions[Number(ticket.value)]!.isInherited = true
    const save = async (one: TargetTicket) => {
      await nextTurn()
      if (!isLast && this.isOf(0.1)) {
        // As JobRun does.
        stop.abort(new Error('store away'))
        throw new StoreUnavailable('away')
      }
      if (this.owner === attempt) this.ticket = one
      else stop.abort(new Error('lost'))
      stop.signal.throwIfAborted()
    }
    const sleep = async () => {
      await nextTurn()
      if (this.isOf(0.01)) {
        this.isOver = true
        stop.abort(problem('upstream_timeout'))
      }
      if (!isLast && this.isOf(0.05)) stop.abort(new Error('released'))
      // Another process takes the job over, and this one does not know.
      const isTaken = !stop.signal.aborted && !isLast && this.owner === attempt && this.isOf(0.05)
      if (isTaken) this.running.push(this.execute())
      stop.signal.throwIfAborted()
    }
    const own = { ...servicesOf(), sleep, spendLimits: this.limits() }
    const prepared = {
      feature: research,
      targets: this.targets(attempt),
      request: { model: 'web/research_async/t0', input },
    }
    const tickets = { earlier: earlierOf({ ticket }, call), save }
    const failure = await runParts(() => doTask(prepared, call, own, tickets), call, own).then(
      () => undefined,
      (error: unknown) => error,
    )
    const endsJob = !isInterrupted(stop.signal) && !(failure instanceof StoreUnavailable) && this.owner === attempt
    if (endsJob) this.isFinished = true
    this.costs.push(lineOfExecution(call, own, endsJob).cost)
    if (this.owner === attempt && !this.isFinished) await this.execute()
  }

  /** Some attempts are refused before they ask for anything. */
  limits(): CallServices['spendLimits'] {
    const reserve = () => {
      if (this.isOf(0.1)) throw problem('budget_exhausted')
    }
    return { reserve, mayCharge() {} } as unknown as CallServices['spendLimits']
  }

  readonly running: Promise<void>[] = []
}

test('all lines of a job pay for each submission once, whatever happens to its executions', async () => {
  let [executions, submitted] = [0, 0]
  for (let seed = 1; seed <= sample(300, 20_000); seed++) {
    const world = new World(seed)
    await world.execute()
    // Executions may start others meanwhile.
    for (const one of world.running) await one
    const where = `seed ${seed}: ${world.costs.join(' + ')}`
    const total = Math.round(world.costs.reduce<number>((sum, cost) => sum + cost!, 0))
    for (const index of world.targets(0).keys()) {
      const units = Math.floor(total / BASE ** index) % BASE
      const paid = (units % MOST_CREDITS) + Math.floor(units / MOST_CREDITS)
      const own = world.submissions.filter(({ target }) => target === index)
      const billed = own.filter(({ state }) => state === 'running' || state === 'done').length
      // An execution that could not ask, because a limit or the provider refused it, does not know that the work has failed.
      const unknown = own.filter(({ state, isInherited }) => state === 'failed' && isInherited).length
      assert.ok(paid >= billed && paid <= billed + unknown, `${where}: ${paid} paid, ${billed} billed`)
    }
    assert.deepEqual([world.isFinished, world.faults], [true, []], where)
    executions += world.owner
    submitted += world.submissions.length
  }
  assert.ok(executions > 400 && submitted > 300, `${executions} executions, ${submitted} submissions`)
})

function targetOf(index: number, accounts: readonly string[], adapter: SlowAdapter): TaskTarget {
  const id = `t${index}`
  const credentials = accounts.map((name) => ({ name, secret: name, weight: 1 }))
  const provider = { id, name: id, baseUrl: 'http://127.0.0.1:9', auth: { scheme: 'bearer' as const }, credentials }
  return {
    id,
    feature: research,
    provider: provider as Partial<Provider> as Provider,
    model: null,
    doer: { kind: 'adapter', load: async () => adapter },
    price: { unit: 'credit', price: BASE ** index, per: 1 },
  }
}

function servicesOf(): CallServices {
  const send: Send = async (_, { report }) => {
    report!.isWritten = true
    return { status: 200, headers: {}, body: nothing() }
  }
  const services: Partial<CallServices> = {
    guardrails: new GuardrailTable(),
    now: () => 0,
    monotonic: () => 0,
    backOffMs: () => 1,
    retries: new RetryBudget({ toBeginWith: 100 }),
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
