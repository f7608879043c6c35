import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN_KEY, API_KEY } from '../e2e/gateway-under-test.ts'
import { longestTurnMs } from './parse-cost.ts'
import type { ProbedGateway } from './probed-gateway.ts'

// One request with hard input, and what becomes of the gateway meanwhile.

const TRIES = 4
const PAUSE_MS = 300
const TURNED_AWAY = /The gateway (is at its limit|has no memory left)/

/** `measured` are the bytes whose parsing is the measure: the body, where nothing else is said. */
export type Request = { path: string; body: Buffer; measured?: Buffer; name: string }

/** It answers, and no turn of its event loop takes more than twice what JSON.parse needs for the same bytes. */
export async function assertUnblocked(gateway: ProbedGateway, request: Request): Promise<void> {
  const bound = longestTurnMs(request.measured ?? request.body)
  const seen: string[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    let reply = { status: 0, text: '' }
    const { longestMs } = await gateway.watch(async () => (reply = await send(gateway, request)))
    // A busy machine makes it late, and it then rightly turns work away.
    const isTurnedAway = reply.status === 503 && TURNED_AWAY.test(reply.text)
    if (!isTurnedAway && longestMs <= bound) return
    seen.push(`${reply.status}${isTurnedAway ? ' turned away' : ''}: ${longestMs.toFixed(0)} ms`)
    if (isTurnedAway) await sleep(PAUSE_MS)
  }
  assert.fail(`${request.name}: ${seen.join(', ')}; at most ${bound.toFixed(0)} ms`)
}

async function send(gateway: ProbedGateway, { path, body }: Request): Promise<{ status: number; text: string }> {
  const isAdmin = path.startsWith('/admin')
  const headers = { authorization: `Bearer ${isAdmin ? ADMIN_KEY : API_KEY}`, 'content-type': 'application/json' }
  const url = (isAdmin ? gateway.adminUrl : gateway.url) + path
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
  return { status: response.status, text: (await response.text()).slice(0, 1_000) }
}
