import type { ClientRequest } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { sleep } from '../../../src/calls/attempts/back-off.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { type Behaviour, failure, hangAfterHeaders, silence } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import type { SeenRequest } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { call, read } from './caller.ts'
import {
  few,
  howMany,
  mapConcurrently,
  oneOf,
  openStormGateway,
  randomBelow,
  type Storm,
  type StormGateway,
} from './storm.ts'

const AT_ONCE = 20
const NOTICED_WITHIN_MS = 500
const ABANDONED_AFTER_MS = 10_000
const LONG_BACK_OFF_MS = 60_000
const POLL_MS = 1

/** The state of a call when its client leaves. */
const MOMENTS: Record<string, { streamed: boolean; behaviour: Behaviour }> = {
  'before the first token': { streamed: true, behaviour: silence() },
  'after the headers': { streamed: true, behaviour: hangAfterHeaders() },
  'within the stream': { streamed: true, behaviour: stream(textEvents('word '.repeat(60)), { pauseMs: 2 }) },
  'before a whole answer': { streamed: false, behaviour: silence() },
  'within a whole answer': { streamed: false, behaviour: hangAfterHeaders('application/json') },
}
const MAX_CHARACTERS_READ = 2_000
/** One in this many clients leaves while the gateway waits before a retry. */
const SHARE_ASLEEP = 6

/** Clients that leave at random moments: the gateway disconnects from the provider and starts no further call. */
export const leaving: Storm = async (options) => {
  const startedAt = performance.now()
  const watch = new Watch()
  const gateway = await openStormGateway({ backOffMs: () => LONG_BACK_OFF_MS, sleep: watch.sleep })
  const times: (number | undefined)[] = []
  gateway.provider.always(watch.behave)
  const awake = await mapConcurrently(options, AT_ONCE, async (index) => {
    times.push(await leaveAt(oneOf(Object.keys(MOMENTS)), index, watch, gateway))
  })
  gateway.provider.always(failure(503))
  const sleepers = Math.ceil(options.count / SHARE_ASLEEP)
  const calls = gateway.provider.requests.length
  for (let at = 0; at < sleepers; at += AT_ONCE) {
    times.push(...(await leaveAsleep(Math.min(AT_ONCE, sleepers - at), watch, gateway)))
  }
  await gateway.idle()
  const wrong = judge(times, gateway.provider.requests.length - calls - sleepers, watch, options.strict ?? false)
  await gateway.close()
  const slowest = Math.max(...times.map((ms) => ms ?? Number.POSITIVE_INFINITY)).toFixed()
  const title = 'clients that leave at random moments: the provider is hung up on'
  const got = `${howMany(awake, options)} and ${sleepers} in back-off, noticed after ${slowest} ms at most`
  return { title, got, calls: awake + sleepers, seconds: (performance.now() - startedAt) / 1_000, wrong: few(wrong) }
}

/** Finds each caller's own call by the name in `user`, and counts waiting retries. */
class Watch {
  readonly #callers = new Map<string, PromiseWithResolvers<SeenRequest>>()
  repeated = 0
  sleepers = 0

  expect(user: string): Promise<SeenRequest> {
    const caller = Promise.withResolvers<SeenRequest>()
    this.#callers.set(user, caller)
    return caller.promise
  }

  behave: Behaviour = (request, response) => {
    const { user } = request.body as { user: string }
    const caller = this.#callers.get(user)
    this.#callers.delete(user)
    if (caller) caller.resolve(request)
    else this.repeated++
    return MOMENTS[user.split(': ')[1]!]!.behaviour(request, response)
  }

  sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    this.sleepers++
    await sleep(ms, signal).finally(() => this.sleepers--)
  }
}

/** Milliseconds until the provider noticed; undefined if it never did. */
async function leaveAt(moment: string, index: number, watch: Watch, { gateway }: StormGateway) {
  const user = `caller${index}: ${moment}`
  const seen = watch.expect(user)
  const asking = call(gateway.url, { ...HELLO, model: 'fake/left', user, stream: MOMENTS[moment]!.streamed })
  const { closed } = await seen
  if (moment === 'within the stream') await read(asking, randomBelow(MAX_CHARACTERS_READ))
  const leftAt = performance.now()
  asking.destroy()
  const isNoticed = await Promise.race([closed, setTimeout(ABANDONED_AFTER_MS, false, { ref: false })])
  return isNoticed ? performance.now() - leftAt : undefined
}

/** The provider has already answered, so the wait itself has to end, and no call may follow it. */
async function leaveAsleep(count: number, watch: Watch, { gateway }: StormGateway): Promise<(number | undefined)[]> {
  const body = { ...HELLO, model: 'fake/asleep' }
  const asking: ClientRequest[] = Array.from({ length: count }, () => call(gateway.url, body))
  while (watch.sleepers < count) await setTimeout(POLL_MS)
  const leftAt = performance.now()
  for (const one of asking) one.destroy()
  while (watch.sleepers > 0 && performance.now() - leftAt < ABANDONED_AFTER_MS) await setTimeout(POLL_MS)
  const took = watch.sleepers > 0 ? undefined : performance.now() - leftAt
  return asking.map(() => took)
}

function judge(times: (number | undefined)[], calledLater: number, { repeated }: Watch, strict: boolean): string[] {
  const late = times.filter((ms) => ms !== undefined && ms > NOTICED_WITHIN_MS)
  return [
    ...times.filter((ms) => ms === undefined).map(() => 'never noticed'),
    ...(strict ? late.map((ms) => `noticed after ${ms?.toFixed()} ms`) : []),
    ...(repeated > 0 ? [`${repeated} calls after the client had left`] : []),
    ...(calledLater !== 0 ? [`${calledLater} calls after a wait that was left`] : []),
  ]
}
