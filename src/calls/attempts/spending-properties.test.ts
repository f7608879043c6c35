import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import { randomNumbers } from '../../../test/fakes/random-numbers.ts'
import { storeForAll } from '../../../test/fakes/stores.ts'
import { sample } from '../../../test/soak/sample.ts'
import { inputOf, NO_TOKENS } from '../../money/billing/token-buckets.ts'
import { type Call, knownCost, newCall, partOf } from '../call.ts'
import { ClientGone } from '../client-gone.ts'
import type { Bill, Order } from '../order.ts'
import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { problem } from '../../contract/problems.ts'
import { mapConcurrently } from '../../endpoints/embeddings/map-concurrently.ts'
import { readSettings } from '../../money/limits/limit-cache.ts'
import { SpendLimits } from '../../money/limits/spend-limits.ts'
import type { WorstCase } from '../../money/limits/worst-case.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { Metrics } from '../../platform/telemetry/metrics.ts'
import { type ProblemKind, UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type FailureKind, newSendReport, WireFailure, type SendReport } from '../../translation/wire/wire.ts'
import { type Attempt, inOneOrder, openOrder } from './attempt.ts'
import { Circuits } from './circuits.ts'
import type { AttemptTarget } from './failures.ts'
import { Observations } from './observations.ts'
import { RetryBudget } from './retry-budget.ts'
import { type RunServices, runCall } from './run-call.ts'
import { SlowWork } from './slow-work.ts'
import { tryTargets } from './try-targets.ts'

// Random calls with the real attempts, orders, reservations and limits, and providers that keep books of their own: whatever happens,
// the ledger line and the limits have what the providers bill, each order once.

const db = await storeForAll()

const MODELS = ['x/a', 'x/b', 'free/c'] as const
const NANO = 1e-9
const MOST_NANOS = 3_000
const MOST_TOKENS = 50
const WIRE_BEFORE: readonly FailureKind[] = ['refused', 'dns', 'connect_timeout', 'exhausted']
const GIVEN_UP: readonly FailureKind[] = ['headers_timeout', 'first_token_timeout', 'idle_timeout']
const REFUSALS: readonly ProblemKind[] = ['rate_limited', 'auth', 'server_error', 'overloaded', 'bad_request']
const OF_NO_USE: readonly ProblemKind[] = ['cut', 'unreadable']
const BROKEN: readonly FailureKind[] = ['reset', 'protocol']

const POLL_REFUSALS: readonly ProblemKind[] = [
  'auth',
  'model_not_found',
  'rejected',
  'bad_request',
  'unexpected_status',
]

/** An order in the books of its provider, which do not depend on what the gateway thinks of it. */
type Billed = {
  readonly model: string
  readonly isAside: boolean
  readonly exact: Bill
  readonly likely: Bill
  /** What it has to be paid: nothing, unless it was written and not refused; its exact bill, if the gateway has got that. */
  how: 'nothing' | 'exact' | 'likely'
  /** The target that was asked for it. */
  by: object
}
type Random = ReturnType<typeof randomsOf>

function randomsOf(seed: number) {
  const random = randomNumbers(seed)
  const isOf = (chance: number) => random() < chance
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  return { isOf, upTo, oneOf }
}

/** Everything happens in turns, and in each turn something may happen to the call. */
class World {
  readonly random: Random
  readonly billed: Billed[] = []
  readonly leave = new AbortController()
  /** The targets that have answered the call or its parts. */
  readonly answering = new Set<object>()
  /** The chance that the caller leaves, or its time is over, in a turn. */
  readonly #leaving: number
  now = 1_800_000_000_000

  constructor(seed: number) {
    this.random = randomsOf(seed)
    this.#leaving = this.random.isOf(0.4) ? 0.02 : 0
  }

  async turn(signal: AbortSignal = this.leave.signal): Promise<void> {
    await nextTurn()
    this.now += this.random.upTo(500)
    if (this.random.isOf(this.#leaving))
      this.leave.abort(this.random.isOf(0.5) ? new ClientGone() : problem('upstream_timeout'))
    signal.throwIfAborted()
  }

  /** Nearly every order costs something else, so that a sum shows which ones were paid. */
  opened({ target, call }: Pick<Asking, 'target' | 'call'>): Billed {
    const { id } = target
    const quarter = MOST_NANOS / 4 - this.random.upTo(MOST_NANOS / 40)
    const price = id.startsWith('free/') ? 0 : quarter * NANO
    const tokens = { ...NO_TOKENS, plainInput: MOST_TOKENS - this.random.upTo(MOST_TOKENS / 10) }
    const likely = { cost: 4 * price, tokens }
    const billed: Billed = {
      model: id,
      isAside: call.isPart === true,
      exact: { cost: price, tokens },
      likely,
      how: 'nothing',
      by: target,
    }
    this.billed.push(billed)
    return billed
  }

  /** A request on the wire. Returns when the provider has answered. */
  async send(billed: Billed, report: SendReport, signal: AbortSignal): Promise<void> {
    const { isOf, oneOf } = this.random
    await this.turn(signal)
    if (isOf(0.1)) throw new WireFailure(oneOf(WIRE_BEFORE))
    report.isWritten = true
    billed.how = 'likely'
    await this.turn(signal)
    if (isOf(0.1)) throw new WireFailure(oneOf(GIVEN_UP))
    if (isOf(0.2)) {
      billed.how = 'nothing'
      throw isOf(0.2) ? new WireFailure('reset') : new UpstreamProblem(oneOf(REFUSALS), 'no', { status: 400 })
    }
    // From here on, the provider bills it.
    report.status = 200
    await this.turn(signal)
    if (isOf(0.05)) throw new WireFailure(oneOf(BROKEN))
    if (isOf(0.05)) throw new UpstreamProblem(oneOf(OF_NO_USE), 'nonsense')
  }
}

type Asking = Attempt<AttemptTarget, RunServices>

/** One request, and what the gateway does with its answer, which may fail. */
async function askOne(world: World, attempt: Asking, signal = attempt.call.signal, began?: (order: Order) => void) {
  const billed = world.opened(attempt)
  return await inOneOrder(attempt, {
    likelyBill: () => billed.likely,
    billOf: () => billed.exact,
    ask: async (order) => {
      began?.(order)
      await world.send(billed, order.report, signal)
      if (world.random.isOf(0.03)) throw new TypeError('a fault of ours')
      billed.how = 'exact'
      return attempt.target.id
    },
  })
}

/** A stream whose reader stopped. */
const UNREAD = Symbol('unread')

type Way = (world: World, attempt: Asking) => Promise<unknown>

/** `requests` are the most that an attempt sends. */
type AskedWay = { requests: number; ask: Way; end?: (call: Call) => Promise<void> }

/** How endpoints ask: once, in parallel parts, in parts of which one failure ends all, in a stream, or with a ticket. */
const WAYS: Record<string, (world: World) => AskedWay> = {
  whole: () => ({ requests: 1, ask: (world, attempt) => askOne(world, attempt) }),
  choices: () => ({
    requests: 4,
    ask: async (world, attempt) => {
      const parts = Array.from({ length: 2 + world.random.upTo(2) }, () => askOne(world, attempt))
      for (const part of await Promise.allSettled(parts)) if (part.status === 'rejected') throw part.reason
    },
  }),
  vectors: () => ({
    requests: 5,
    ask: (world, attempt) =>
      mapConcurrently(Array.from({ length: 1 + world.random.upTo(4) }), 3, (_, rest) => {
        const signal = AbortSignal.any([attempt.call.signal, rest])
        return askOne(world, attempt, signal, (order) => rest.addEventListener('abort', () => order.left()))
      }),
  }),
  stream: () => ({
    requests: 1,
    ask: async (world, attempt) => {
      const billed = world.opened(attempt)
      const order = openOrder(attempt, () => billed.likely)
      try {
        await world.send(billed, order.report, attempt.call.signal)
      } catch (error) {
        order.failed(error)
        throw error
      }
      // It is read when the attempt has succeeded; a reader that stops leaves it open.
      return async () => {
        await world.turn()
        if (world.random.isOf(0.2)) return UNREAD
        billed.how = 'exact'
        order.delivered(billed.exact)
        return undefined
      }
    },
  }),
  slow: (world) => {
    const slow = new SlowWork<string>()
    const works = new Map<string, Billed>()
    const failing = world.random.isOf(0.5) ? 0.95 : 0.2
    return {
      requests: 1,
      end: (call) => slow.end(call.signal),
      ask: async (_, attempt) => {
        const { id } = attempt.target
        await slow.moveTo(id)
        const { signal } = attempt.call
        const { isOf, oneOf } = world.random
        await slow.ask(attempt, {
          likelyBill: () => works.get(id)!.likely,
          billOf: () => works.get(id)!.exact,
          provider: ({ report }) => ({
            submit: async () => {
              const billed = world.opened(attempt)
              works.set(id, billed)
              await world.send(billed, report, signal)
              return { done: false, ticket: id, afterMs: 0 }
            },
            poll: async () => {
              await world.turn(signal)
              const billed = works.get(id)!
              if (isOf(0.05)) {
                billed.how = 'nothing'
                throw new UpstreamProblem('server_error', 'it failed')
              }
              if (isOf(failing)) throw new UpstreamProblem('overloaded', 'busy', { status: 503 })
              // It goes on, and does not say how.
              if (isOf(0.1)) throw new UpstreamProblem(oneOf(POLL_REFUSALS), 'no', { status: 403 })
              if (isOf(0.1)) throw new WireFailure('reset')
              if (isOf(0.5)) return { done: false, ticket: id }
              billed.how = 'exact'
              billed.by = attempt.target
              return { done: true, result: id }
            },
            cancel: async () => {
              await nextTurn()
              if (isOf(0.5)) throw new Error('it cannot be ended')
            },
          }),
        })
      },
    }
  },
}

function worstOf(requests: number): WorstCase {
  const most = { inputTokens: MOST_TOKENS * requests, usd: MOST_NANOS * requests }
  return { ...most, outputTokens: 0, usdPerOutputToken: 0, isChat: false }
}

function limitOf(entry: object, kind: 'budget' | 'rate_limit' = 'budget'): Limit {
  return readSettings(JSON.stringify({ kind, entry: { appliesTo: 'all', window: 'day', limit: 1e6, ...entry } }))!
}

function limitsOf(seed: number): Limit[] {
  return [
    limitOf({ id: `all-${seed}` }),
    limitOf({ id: `a-${seed}`, models: ['x/a'] }),
    limitOf({ id: `b-${seed}`, models: ['x/b'] }),
    limitOf({ id: `x-${seed}`, providers: ['x'], unit: 'tokens', limit: 1e12 }, 'rate_limit'),
    // Attempts at this model are refused.
    ...(seed % 3 === 0 ? [limitOf({ id: `none-${seed}`, models: ['x/b'], limit: 1e-9 })] : []),
    limitOf({ id: `shadow-${seed}`, mode: 'shadow' }),
    limitOf({ id: `tokens-${seed}`, unit: 'tokens', limit: 1e12 }, 'rate_limit'),
    limitOf({ id: `minute-${seed}`, unit: 'tokens', window: 'minute', limit: 1e12 }, 'rate_limit'),
    limitOf({ id: `slots-${seed}`, unit: 'concurrent', window: undefined, limit: 1e6 }, 'rate_limit'),
  ]
}

function servicesOf(world: World, lines: LedgerLine[], processName: string) {
  const monotonic = () => world.now
  const metrics = new Metrics()
  const log = { warn() {}, debug() {} }
  const options = { db, processName, processCount: () => 1, now: () => world.now, monotonic, log }
  const overran: string[] = []
  const counters = { budgetOverran: (limit: string) => void overran.push(limit), shadowExceeded() {} }
  const spendLimits = new SpendLimits({ ...options, linesWaiting: () => 0, metrics: counters })
  const services: RunServices = {
    now: () => world.now,
    monotonic,
    metrics,
    inFlight: { follow: () => ({ changed() {}, ended() {} }) },
    spendLimits,
    circuits: new Circuits(monotonic),
    retries: new RetryBudget({ toBeginWith: 100 }),
    observations: new Observations(monotonic),
    backOffMs: () => 10,
    sleep: (ms, signal) => {
      world.now += ms
      return world.turn(signal)
    },
    ledger: { record: (line) => void lines.push(line) },
  }
  return { services, spendLimits, overran }
}

function targetOf(id: string, credentials: number): AttemptTarget {
  const provider: Partial<Provider> = {
    id: id.split('/')[0]!,
    name: 'X',
    baseUrl: 'http://127.0.0.1:9',
    auth: { scheme: 'bearer' },
    credentials: Array.from({ length: credentials }, (_, index) => ({ secret: `secret-${index}`, weight: 1 })),
    free: id.startsWith('free/'),
  }
  return { id, provider: provider as Provider }
}

type Played = {
  world: World
  call: Call
  lines: LedgerLine[]
  orders: Order[]
  spendLimits: SpendLimits
  overran: string[]
  answer: unknown
  isInherited: boolean
}

async function play(seed: number): Promise<Played> {
  const world = new World(seed)
  const { isOf, upTo, oneOf } = world.random
  const lines: LedgerLine[] = []
  const { services, spendLimits, overran } = servicesOf(world, lines, `process-${seed}`)
  spendLimits.replace(limitsOf(seed))
  const call = newCall({
    id: `call-${seed}`,
    caller: ANY_CALLER,
    endpoint: 'chat',
    startedAt: world.now,
    wantsMetadata: false,
    signal: world.leave.signal,
  })
  const orders: Order[] = []
  const watched = (attempt: Asking): Asking => ({ ...attempt, orders: pushedTo(orders, attempt.orders) })
  const planOf = (way: AskedWay) => ({
    targets: Array.from({ length: 1 + upTo(2) }, () => targetOf(oneOf(MODELS), 1 + upTo(1))),
    worstCase: () => worstOf(way.requests),
    isCustomized: () => false,
    retries: isOf(0.5) ? upTo(2) : undefined,
    ask: (attempt: Asking) => way.ask(world, watched(attempt)),
  })
  /** A hook asks on behalf of the call. */
  const hook = async () => {
    const part = partOf(call, { isAside: true })
    await tryTargets(planOf(WAYS.whole!(world)), part, services)
      .then(({ attempt }) => world.answering.add(attempt.target))
      .catch((error) => {
        if (world.leave.signal.aborted || !isOf(0.5)) throw error
      })
  }
  const inherited = isOf(0.3) ? inherit(world, call, spendLimits) : undefined
  const way = WAYS[oneOf(Object.keys(WAYS))]!(world)
  if (way.end) call.time.holds(() => way.end!(call))
  const answering = runCall(
    async () => {
      if (isOf(0.3)) await hook()
      return {
        ...planOf(way),
        present: async ({ attempt, reply }: { attempt: Asking; reply: unknown }) => {
          world.answering.add(attempt.target)
          const read: unknown = typeof reply === 'function' ? await reply() : undefined
          if (isOf(0.2)) await hook()
          if (isOf(0.05)) throw new TypeError('a fault of ours')
          if (inherited && isOf(0.5)) inherited()
          return read === UNREAD ? read : knownCost(call)
        },
      }
    },
    call,
    services,
  )
  const answer = await answering.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
  // What a failed part has left behind ends by itself.
  for (let turns = 0; turns < 5; turns++) await nextTurn()
  return { world, call, lines, orders, spendLimits, overran, answer, isInherited: inherited !== undefined }
}

/** An earlier execution has ordered something, of a model that this one may not even ask for. Returns what delivers it. */
function inherit(world: World, call: Call, spendLimits: SpendLimits): () => void {
  const target = targetOf(world.random.oneOf(MODELS), 1)
  const billed = world.opened({ target, call })
  billed.how = 'likely'
  world.answering.add(target)
  spendLimits.mayCharge({ ...call, labels: call.record.labels }, target)
  const report = { ...newSendReport(), isWritten: true }
  const order = call.spending.order({ model: target, attempt: Symbol(), likelyBill: () => billed.likely }, report)
  return () => {
    billed.how = 'exact'
    order.delivered(billed.exact)
  }
}

/** The orders of all attempts, too. */
function pushedTo(all: Order[], own: Order[]): Order[] {
  const push = own.push.bind(own)
  return Object.assign(own, {
    push: (...added: Order[]) => {
      for (const one of added) if (!all.includes(one)) all.push(one)
      return push(...added)
    },
  })
}

function sumOf(billed: readonly Billed[]): number {
  return billed.reduce((sum, one) => sum + nanosOf(paidFor(one)?.cost ?? 0)!, 0)
}

function paidFor({ how, exact, likely }: Billed): Bill | undefined {
  return how === 'nothing' ? undefined : how === 'exact' ? exact : likely
}

test('the ledger line and the limits have what the providers bill, whatever happens to a call', async () => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= sample(300, 20_000); seed++) {
    const { world, call, lines, orders, spendLimits, overran, answer, isInherited } = await play(seed)
    const where = `seed ${seed}`
    const [line] = lines
    assert.equal(lines.length, 1, where)
    for (const { end, report, bill } of orders) {
      seen.add(end)
      assert.notEqual(end, 'open', where)
      if (!report.isWritten) assert.equal(bill, undefined, where)
    }
    const whole = sumOf(world.billed)
    assert.deepEqual([nanosOf(line!.cost), line!.promptTokens], [whole, tokensOf(world.billed)], where)
    const isEstimated = world.billed.some(({ how, likely }) => how === 'likely' && likely.cost !== 0)
    assert.equal(line!.estimated, isEstimated, where)
    // What a target has delivered is not part of the answer if another one gave that.
    const exact = sumOf(world.billed.filter(({ how, by }) => how === 'exact' && world.answering.has(by)))
    const isKnown = typeof answer === 'number' || (answer === null && !isInherited)
    if (isKnown) assert.equal(nanosOf(answer), exact, where)
    const charged = new Map(line!.charges?.map(([limit, , , used]) => [limit, used]))
    const of = (model: string) => sumOf(world.billed.filter((one) => one.model === model))
    const ofX = tokensOf(world.billed.filter(({ model }) => model.startsWith('x/')))
    assert.deepEqual(
      ['all', 'shadow', 'a', 'b', 'tokens', 'x'].map((name) => charged.get(`${name}-${seed}`) ?? 0),
      [whole, whole, of('x/a'), of('x/b'), tokensOf(world.billed), ofX],
      where,
    )
    for (const limit of spendLimits.all) {
      const { share } = spendLimits.shares.windowOf(limit, '', world.now)
      assert.equal(share.reserved, 0, `${where}, ${limit.id}`)
    }
    assert.deepEqual(call.spending.close(), line!.charges, where)
    // Nothing is reserved for what an earlier execution has ordered.
    if (!isInherited) assert.deepEqual(overran, [], where)
    await spendLimits.shares.close()
  }
  assert.deepEqual([...seen].sort(), ['delivered', 'left', 'refused'])
})

function nanosOf(cost: number | null): number | null {
  return cost === null ? null : Math.round(cost / NANO)
}

/** Hooks do not count: their tokens are not those of the answer. */
function tokensOf(billed: readonly Billed[]): number {
  return billed.reduce((sum, one) => sum + (one.isAside ? 0 : inputOf(paidFor(one)?.tokens ?? NO_TOKENS)), 0)
}
