import { RetryBudget } from '../../src/calls/attempts/retry-budget.ts'
import { HELLO } from '../gateway/chat-client.ts'
import type { Result } from './run-case.ts'
import type { Stage } from './stage.ts'

// Cases that need more than one request, or that are judged by what the operator sees.

type LongCase = { title: string; run(stage: Stage): Promise<Omit<Result, 'title' | 'seconds'>> }

const OUTAGE_MS = 60_000
const BACK_WITHIN_MS = 30_000
const BETWEEN_REQUESTS_MS = 4_000
const FLOOD = 200
const FLOOD_OF_ONE_MODEL = 60
const AT_ONCE = 20
const RETRY_SHARE = 0.2
const RETRIES_TO_BEGIN_WITH = 3
/** The retry budget allows this many calls to one model before its circuit opens after five failures. */
const MAX_CALLS_TO_ONE_MODEL = 5 + AT_ONCE

export const outage: LongCase = {
  title: 'down for 60 s, a request every 4 s: left alone, and back within 30 s of recovery',
  run: async (stage) => {
    const model = 'down-for-60~outage'
    const startedAt = stage.now()
    const statuses: number[] = []
    const unserved: string[] = []
    let backAfterMs = Number.POSITIVE_INFINITY
    while (stage.now() - startedAt < OUTAGE_MS + BACK_WITHIN_MS && backAfterMs === Number.POSITIVE_INFINITY) {
      const before = stage.faulty.calls(model)
      const { status, headers } = await stage.chat.whole({ ...HELLO, model: `faulty/${model}` })
      statuses.push(status)
      if (stage.faulty.calls(model) === before) unserved.push(headers.get('retry-after') ?? 'nothing')
      if (status === 200) backAfterMs = stage.now() - startedAt - OUTAGE_MS
      else await stage.pass(BETWEEN_REQUESTS_MS)
    }
    const after = (await stage.chat.whole({ ...HELLO, model: `faulty/${model}` })).status
    const wrong = [
      ...unless(unserved.length > 0, 'the circuit never opened'),
      ...unless(
        unserved.every((seconds) => Number(seconds) >= 1 && Number(seconds) <= 20),
        `Retry-After ${unserved}`,
      ),
      ...unless(
        statuses.slice(0, -1).every((status) => status === 503),
        `statuses ${statuses}`,
      ),
      ...unless(backAfterMs <= BACK_WITHIN_MS, `not back within 30 s: ${statuses}`),
      ...unless(after === 200, `then ${after}`),
    ]
    const back = Number.isFinite(backAfterMs) ? `back after ${(backAfterMs / 1_000).toFixed(1)} s` : 'never back'
    const got = `${statuses.length} requests, ${unserved.length} of them answered without a call, ${back}`
    return { got, calls: stage.faulty.calls(model), wrong }
  },
}

export const malformedIsCounted: LongCase = {
  title: 'an event that is passed over is counted in the metrics',
  run: async (stage) => {
    const before = stage.metric('gatehouse_malformed_events_total')
    const { done } = await stage.chat.stream({ ...HELLO, model: 'faulty/keep-alive-data~counted' })
    await stage.idle()
    const counted = stage.metric('gatehouse_malformed_events_total') - before
    const wrong = [...unless(done === 1, 'not complete'), ...unless(counted === 1, `counted ${counted}`)]
    return { got: `counted ${counted}`, calls: stage.faulty.calls('keep-alive-data~counted'), wrong }
  },
}

export const accounting: LongCase = {
  title: 'accounting after a failover: one line, of who answered, with the price of all who were paid',
  run: async (stage) => {
    await stage.chat.whole({ ...HELLO, model: 'faulty/500~priced', fallbacks: ['faulty/ok~priced'] })
    const failedOver = await rowsOf(stage)
    await stage.chat.stream({ ...HELLO, model: 'faulty/cut-40-of-60~priced', fallbacks: ['faulty/ok~priced'] })
    const resumed = await rowsOf(stage)
    const [first, both] = [failedOver.get('faulty/ok~priced'), resumed.get('faulty/ok~priced')]
    const wrong = [
      ...unless(!failedOver.has('faulty/500~priced'), 'the failed model has a line'),
      ...unless(first?.requests === 1 && first.failed_requests === 0, `after a failover ${JSON.stringify(first)}`),
      // 9 tokens read at 1 USD and 12 written at 2 USD per million.
      ...unless(first?.cost === 0.000033, `the failover cost ${first?.cost}`),
      ...unless(!resumed.has('faulty/cut-40-of-60~priced'), 'the model that broke off has a line'),
      ...unless(both?.requests === 2 && both.failed_requests === 0, `after going on ${JSON.stringify(both)}`),
      ...unless((both?.cost ?? 0) > 2 * 0.000033, `the forty words that were sent first cost nothing: ${both?.cost}`),
    ]
    const calls = ['500~priced', 'ok~priced', 'cut-40-of-60~priced'].map(stage.faulty.calls)
    return { got: `${first?.cost} USD, then ${both?.cost} USD`, calls: calls.reduce((a, b) => a + b), wrong }
  },
}

export const retryBudget: LongCase = {
  title: `${FLOOD} requests at 100 % errors: no more than 20 % + 3 calls on top`,
  run: async (stage) => {
    const before = stage.faulty.total
    // Each call uses another model, so that no circuit opens and only the budget limits them.
    const statuses = await flood(stage, FLOOD, (index) => `faulty/503-for-ever~flood${index}`)
    const calls = stage.faulty.total - before
    const extra = calls - FLOOD
    const max = FLOOD * RETRY_SHARE + RETRIES_TO_BEGIN_WITH
    const wrong = [
      ...unless(extra <= max, `${extra} extra calls, and no more than ${max} are due`),
      ...unless(extra >= max - 1, `only ${extra} extra calls, where ${max} are allowed`),
      ...unless(
        statuses.every((status) => status === 503),
        `statuses ${new Set(statuses)}`,
      ),
    ]
    return { got: `${extra} extra calls`, calls, wrong }
  },
}

export const floodOfOneModel: LongCase = {
  title: `${FLOOD_OF_ONE_MODEL} requests of one model at 100 % errors: its circuit opens`,
  run: async (stage) => {
    const statuses = await flood(stage, FLOOD_OF_ONE_MODEL, () => 'faulty/503-for-ever~one')
    const calls = stage.faulty.calls('503-for-ever~one')
    const wrong = [
      ...unless(calls <= MAX_CALLS_TO_ONE_MODEL, `${calls} calls`),
      ...unless(
        statuses.every((status) => status === 503),
        `statuses ${new Set(statuses)}`,
      ),
    ]
    return { got: `${calls} calls`, calls, wrong }
  },
}

export async function runLong({ title, run }: LongCase, stage: Stage): Promise<Result> {
  const startedAt = performance.now()
  const result = await run(stage)
  return { title, ...result, seconds: (performance.now() - startedAt) / 1_000 }
}

/** Uses the initial budget of a gateway. */
async function flood({ chat, gateway }: Stage, count: number, modelOf: (index: number) => string): Promise<number[]> {
  gateway.gateway.services.calls.retries = new RetryBudget()
  const statuses: number[] = []
  for (let at = 0; at < count; at += AT_ONCE) {
    const indices = Array.from({ length: AT_ONCE }, (_, index) => at + index)
    const replies = await Promise.all(indices.map((index) => chat.whole({ ...HELLO, model: modelOf(index) })))
    statuses.push(...replies.map(({ status }) => status))
  }
  return statuses
}

async function rowsOf(stage: Stage) {
  await stage.idle()
  return new Map((await stage.usage()).map((row) => [row.group, row]))
}

function unless(isRight: boolean, what: string): string[] {
  return isRight ? [] : [what]
}
