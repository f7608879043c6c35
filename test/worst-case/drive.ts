import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { GROWTH, LEAST_US, MAX_GROWTH } from '../fakes/cpu.ts'
import { textUntilError } from '../gateway/chat-client.ts'
import { ADMIN_KEY, API_KEY } from '../gateway/gateway-under-test.ts'
import { BlockLimit } from './parse-cost.ts'
import type { ProbedGateway } from './probed-gateway.ts'

// Sends one request with hard input and observes the gateway meanwhile. `npm test` asserts how the longest turn of the event loop grows
// with the input; `npm run soak`, on a quiet machine, also how long it is.

const TRIES = 4
const PAUSE_MS = 300
/** A turn that is so short need not be compared with others. */
const QUICK_MS = 60
const LEAST_MS = LEAST_US / 1_000
const TURNED_AWAY = /The gateway (is at its limit|has no memory left)/
const WHOLE = 1

export type Answer = { status: number; text: string }

/** The hard input, or that share of it. */
export type Sized<Value> = (share: number) => Value

/**
 * `measured` are the bytes whose parsing time is the reference of `npm run soak`: the body by default. A request is a POST of JSON by
 * default.
 */
type Request = { method?: string; path: string; body: Sized<Buffer>; measured?: Buffer; name: string; type?: string }

/** Work other than a single request, with its own reference. */
type Work = { name: string; measured: Buffer; send: Sized<Promise<Answer>> }

/** Asserts that the gateway answers, and that no turn of its event loop grows faster than the input. */
export function assertUnblocked(gateway: ProbedGateway, request: Request): Promise<Answer> {
  const { name, body, measured = body(WHOLE) } = request
  const send = (share: number) => post(gateway, { ...request, body: body(share) })
  return assertWorkUnblocked(gateway, { name, measured, send })
}

export async function assertWorkUnblocked(gateway: ProbedGateway, { name, measured, send }: Work): Promise<Answer> {
  const isShort = limitOf(gateway, measured, () => send(1 / GROWTH), GROWTH)
  const seen: string[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    let reply = { status: 0, text: '' }
    const { longestMs } = await gateway.watch(async () => (reply = await send(WHOLE)))
    // A busy machine makes the gateway late, and then it is right to refuse work.
    const isTurnedAway = reply.status === 503 && TURNED_AWAY.test(reply.text)
    const tooLong = isTurnedAway ? 'turned away' : await isShort(longestMs)
    if (tooLong === undefined) return reply
    seen.push(`${reply.status}: ${tooLong}`)
    if (isTurnedAway) await sleep(PAUSE_MS)
  }
  assert.fail(`${name}: ${seen.join('; ')}`)
}

/** Asserts that no turn of the event loop takes longer for many pieces of work at once than for one, at least in one of some tries. */
export async function assertTurnsShort(
  gateway: ProbedGateway,
  { measured, count }: { measured: Buffer; count: number },
  work: (count: number) => Promise<unknown>,
): Promise<void> {
  const isShort = limitOf(gateway, measured, () => work(1), 1)
  const seen: string[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    const { longestMs } = await gateway.watch(() => work(count))
    const tooLong = await isShort(longestMs)
    if (tooLong === undefined) return
    seen.push(tooLong)
  }
  assert.fail(seen.join('; '))
}

/** Judges a turn by the longest one of less work, which may be so many times as short. Says why the turn is too long. */
function limitOf(gateway: ProbedGateway, measured: Buffer, less: () => Promise<unknown>, times: number) {
  const soak = process.env.GATEHOUSE_SOAK ? new BlockLimit(measured) : undefined
  let lessMs = LEAST_MS
  return async (turnMs: number): Promise<string | undefined> => {
    if (soak) return soak.allows(turnMs) ? undefined : `${turnMs.toFixed(0)} ms, at most ${soak.ms.toFixed(0)}`
    if (turnMs < QUICK_MS) return undefined
    lessMs = Math.max(lessMs, (await gateway.watch(less)).longestMs)
    if (turnMs < MAX_GROWTH * times * lessMs) return undefined
    return `${turnMs.toFixed(0)} ms, and ${lessMs.toFixed(0)} ms for less work`
  }
}

export async function post(
  gateway: ProbedGateway,
  request: Omit<Request, 'name' | 'body'> & { body: Buffer },
): Promise<Answer> {
  const { method = 'POST', path, body, type } = request
  const isAdmin = path.startsWith('/admin')
  const authorization = `Bearer ${isAdmin ? ADMIN_KEY : API_KEY}`
  const headers = { authorization, 'content-type': type ?? 'application/json' }
  const url = (isAdmin ? gateway.adminUrl : gateway.url) + path
  const response = await fetch(url, { method, headers, body: new Uint8Array(body) })
  return {
    status: response.status,
    text: (await textUntilError(response.body ?? new Blob([]).stream())).slice(0, 1_000),
  }
}
