import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Observations } from '../../attempts/observations.ts'
import { CALLER, routingServices, row } from '../router/fixtures/routing-services.ts'
import { hostsInOrder, type HostWishes } from './host-order.ts'
import type { ResolvedModel } from './resolved-model.ts'

const PRICES = { cheap: 1, dear: 2, free: 0, unknown: null }

function order(wishes: Partial<HostWishes>, observations = new Observations(() => 0), names = Object.keys(PRICES)) {
  const hosts = names.map(hostNamed)
  return hostsInOrder(hosts, { caller: CALLER, ...wishes }, { ...services, observations }).map(
    ({ provider }) => provider.id,
  )
}

const services = routingServices(
  Object.fromEntries(
    Object.entries(PRICES).map(([name, price]) => [
      name,
      { rows: [row('m', { price: price === null ? null : { input: price, output: price } })] },
    ]),
  ),
)

function hostNamed(name: string): ResolvedModel {
  const { config, catalog } = services
  const entry = catalog.find(name, 'm')
  return { id: `${name}/m`, provider: config.providers[name]!, model: 'm', entry, regions: ['global'] }
}

/** A provider with such answers. */
function seen(figures: Record<string, { firstTokenMs?: number; tokens?: number; failed?: boolean }>): Observations {
  const observations = new Observations(() => 0)
  for (const [name, { firstTokenMs = 500, tokens = 60, failed = false }] of Object.entries(figures))
    for (let count = 0; count < 20; count++)
      observations.note({
        target: `${name}/m`,
        owner: CALLER.owner,
        firstTokenMs,
        tokens,
        failed,
        durationMs: firstTokenMs + 1_000,
      })
  return observations
}

test('free hosts come first and hosts without a known price last, and the others have shares by the square of the price', () => {
  const firsts = { cheap: 0, dear: 0 }
  for (let conversation = 0; conversation < 2_000; conversation++) {
    const [first, second, third, last] = order({ affinity: () => conversation * 7_919 })
    assert.deepEqual([first, last], ['free', 'unknown'])
    assert.notEqual(second, third)
    firsts[second as 'cheap' | 'dear']++
  }
  assert.ok(firsts.dear > 340 && firsts.dear < 460, `${firsts.dear} of 2000 are a fifth`)
})

test('a conversation always has the same order, and calls without one take turns', () => {
  const names = ['cheap', 'dear']
  for (let conversation = 0; conversation < 50; conversation++) {
    const affinity = () => conversation
    assert.deepEqual(order({ affinity }, undefined, names), order({ affinity }, undefined, names))
  }
  const firsts = new Set(Array.from({ length: 100 }, () => order({}, undefined, names)[0]))
  assert.equal(firsts.size, 2)
})

test('a sort is an order and no share; without observations the price decides', () => {
  for (const sort of ['cost', 'speed', 'latency', 'exact'] as const)
    assert.deepEqual(order({ sort }), ['free', 'cheap', 'dear', 'unknown'], sort)
  const figures = seen({ dear: { firstTokenMs: 50, tokens: 900 }, cheap: { firstTokenMs: 2_000, tokens: 9 } })
  for (const sort of ['speed', 'latency'] as const) {
    const sorted = order({ sort }, figures)
    assert.deepEqual([sorted[0], sorted.at(-1)], ['dear', 'cheap'], sort)
  }
  const priceOf = ({ provider }: { provider: { id: string } }) => (provider.id === 'unknown' ? 0.1 : 5)
  assert.equal(order({ sort: 'cost', priceOf })[0], 'unknown')
})

test('hosts that fail come last, whatever the order is', () => {
  const failing = seen({ cheap: { failed: true }, free: { failed: true } })
  for (const wishes of [{ affinity: () => 1 }, { sort: 'cost' }, { sort: 'exact' }] as const)
    assert.deepEqual(order(wishes, failing).slice(0, 2).toSorted(), ['dear', 'unknown'])
})
