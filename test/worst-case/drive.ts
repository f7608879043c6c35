import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { textUntilError } from '../gateway/chat-client.ts'
import { ADMIN_KEY, API_KEY } from '../gateway/gateway-under-test.ts'
import { BlockLimit } from './parse-cost.ts'
import type { ProbedGateway } from './probed-gateway.ts'

// Sends one request with hard input and observes the gateway meanwhile.

const TRIES = 4
const PAUSE_MS = 300
const TURNED_AWAY = /The gateway (is at its limit|has no memory left)/

export type Answer = { status: number; text: string }

/** `measured` are the bytes whose parsing time is the reference: the body by default. A request is a POST of JSON by default. */
type Request = { method?: string; path: string; body: Buffer; measured?: Buffer; name: string; type?: string }

/** Work other than a single request, with its own reference. */
type Work = { name: string; measured: Buffer; send(): Promise<Answer> }

/**
 * Asserts that the gateway answers, and that no turn of its event loop takes more than twice what JSON.parse needs for the
 * same bytes.
 */
export function assertUnblocked(gateway: ProbedGateway, request: Request): Promise<Answer> {
  const { name, body, measured = body } = request
  return assertWorkUnblocked(gateway, { name, measured, send: () => post(gateway, request) })
}

export async function assertWorkUnblocked(gateway: ProbedGateway, work: Work): Promise<Answer> {
  const limit = new BlockLimit(work.measured)
  const seen: string[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    let reply = { status: 0, text: '' }
    const { longestMs } = await gateway.watch(async () => (reply = await work.send()))
    // A busy machine makes the gateway late, and then it is right to refuse work.
    const isTurnedAway = reply.status === 503 && TURNED_AWAY.test(reply.text)
    if (!isTurnedAway && limit.allows(longestMs)) return reply
    seen.push(`${reply.status}${isTurnedAway ? ' turned away' : ''}: ${longestMs.toFixed(0)} ms`)
    if (isTurnedAway) await sleep(PAUSE_MS)
  }
  assert.fail(`${work.name}: ${seen.join(', ')}; at most ${limit.ms.toFixed(0)} ms`)
}

/** Asserts that no turn of the event loop takes longer than that while the work is done, at least in one of some tries. */
export async function assertTurnsShort(gateway: ProbedGateway, measured: Buffer, work: () => Promise<unknown>) {
  const limit = new BlockLimit(measured)
  const seen: number[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    const { longestMs } = await gateway.watch(work)
    if (limit.allows(longestMs)) return
    seen.push(Math.round(longestMs))
  }
  assert.fail(`${seen.join(', ')} ms; at most ${limit.ms.toFixed(0)} ms`)
}

export async function post(gateway: ProbedGateway, request: Omit<Request, 'name'>): Promise<Answer> {
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
