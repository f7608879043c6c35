import assert from 'node:assert/strict'
import type { RequestLine } from '../../src/contract/admin/requests.ts'
import { type Behaviour, silence } from '../fakes/behaviours.ts'
import { runHere } from './gateway-process.ts'
import { API_KEY } from './gateway-under-test.ts'
import { idle } from './gateway-with-fakes.ts'
import type { LimitsGateway } from './limits-gateway.ts'

// Callers who leave before their answer is there, and what they have spent.

export const BUDGET = { id: 'left', appliesTo: 'all', limit: 1_000, window: 'month' }

type Leaving = {
  behaviour?: Behaviour | undefined
  /** Leaves when the provider has got the request with this number, and that `until` is over. */
  requests?: number | undefined
  until?: (() => Promise<unknown>) | undefined
}

/** Returns what leaving has cost, and the line of the call. */
export async function leftEarly(
  scene: LimitsGateway,
  path: string,
  body: object,
  { behaviour = silence(), requests = 0, until }: Leaving = {},
): Promise<[number, RequestLine]> {
  const before = await spentOf(scene)
  scene.fake.always(behaviour)
  const { leaving, gone } = send(scene, path, body)
  const { closed } = await Promise.race([scene.fake.request(requests), gone])
  await until?.()
  leaving.abort()
  await assert.rejects(gone, { name: 'AbortError' })
  await closed
  await idle(scene.gateway)
  const cost = rounded((await spentOf(scene)) - before)
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=1')).json()) as { items: RequestLine[] }
  return [cost, items[0]!]
}

function send(scene: LimitsGateway, path: string, body: object) {
  const leaving = new AbortController()
  const isForm = body instanceof FormData
  const sent = fetch(`${scene.gateway.url}${path}`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${API_KEY}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
  // A request that is refused here never gets to the provider.
  const gone = sent.then(async (reply) => assert.fail(`${reply.status} ${await reply.text()}`))
  return { leaving, gone }
}

/** What is spent of the budget. */
export async function spentOf({ gateway, admin }: LimitsGateway): Promise<number> {
  await gateway.gateway.services.calls.ledger.flush()
  const { spent = 0 } = (await (await admin('GET', `/admin/budgets/${BUDGET.id}`)).json()) as { spent?: number }
  return spent
}

/**
 * A gateway that stops gives back what it holds for its next calls. Then nothing is held for callers that have left, and the
 * books agree.
 */
export async function demandSettled(scene: LimitsGateway): Promise<void> {
  await scene.restart(() => {})
  const { reserved } = (await (await scene.admin('GET', `/admin/budgets/${BUDGET.id}`)).json()) as { reserved: number }
  const { code, stdout, stderr } = await runHere(['ledger', 'verify'], scene.settings)
  assert.deepEqual([reserved, code], [0, 0], stdout + stderr)
}

/** Budgets count billionths of a dollar. */
export function rounded(usd: number): number {
  return Number(usd.toFixed(9))
}
