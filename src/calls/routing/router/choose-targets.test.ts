import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseTargets, type RoutedRequest } from './choose-targets.ts'
import { ask, CALLER, routingServices, refused, row, servicesWith } from './fixtures/routing-services.ts'

const TOOLS = { tools: [{ type: 'function', function: { name: 'look' } }] }

describe('steering', () => {
  const rows = [
    row('cheap', { price: { input: 0.1, output: 0.2 }, quality: 1 }),
    row('best', { price: { input: 10, output: 40 }, quality: 5 }),
    row('fast', { price: { input: 3, output: 9 }, quality: 2 }),
    row('prompt', { price: { input: 4, output: 9 }, quality: 2 }),
  ]
  const services = servicesWith(rows)
  for (const [id, firstTokenMs, tokens] of [
    ['cheap', 2_000, 40],
    ['best', 1_500, 60],
    ['fast', 900, 900],
    ['prompt', 100, 50],
  ] as const) {
    const durationMs = firstTokenMs + 1_000
    const { owner } = CALLER
    for (let count = 0; count < 20; count++)
      services.observations.note({ target: `any/${id}`, owner, firstTokenMs, tokens, durationMs, failed: false })
  }
  const cases: [RoutedRequest['routing'], string][] = [
    [{ sort: 'cost' }, 'any/cheap'],
    [{ sort: 'quality' }, 'any/best'],
    [{ sort: 'speed' }, 'any/fast'],
    [{ sort: 'latency' }, 'any/prompt'],
    // Equally reliable ones are ordered by their score.
    [{ sort: 'exact' }, 'any/cheap'],
    [{ quality_cost: 10 }, 'any/cheap'],
    [{ quality_cost: 0 }, 'any/best'],
    [null, 'any/cheap'],
  ]
  for (const [routing, winner] of cases) {
    test(`${JSON.stringify(routing)} chooses ${winner}`, () => {
      assert.equal(chooseTargets(ask('Hi', { routing: routing ?? null }), CALLER, services).ids[0], winner)
    })
  }

  test('a hard prompt goes to a better model, unasked', () => {
    const hard = ask('Prove the theorem step by step, analyze it and compare: $$\\sum x$$', {
      reasoning_effort: 'high',
    })
    assert.equal(chooseTargets(hard, CALLER, services).ids[0], 'any/best')
  })

  test('what is cheap depends on the shape of the request', () => {
    const reader = row('reader', { price: { input: 1, output: 30 } })
    const writer = row('writer', { price: { input: 3, output: 3 } })
    const cheapest = (request: RoutedRequest) =>
      chooseTargets({ ...request, routing: { sort: 'cost' } }, CALLER, servicesWith([reader, writer])).ids[0]
    assert.equal(cheapest(ask('x'.repeat(100_000), { max_tokens: 10 })), 'any/reader')
    assert.equal(cheapest(ask('Hi')), 'any/writer')
  })

  test('a long prompt is reckoned at its own tier', () => {
    const tiered = row('tiered', { price: { input: 1, output: 1, tiers: [{ above: 20_000, input: 9, output: 9 }] } })
    const flat = row('flat', { price: { input: 2, output: 2 } })
    const cheapest = (text: string) =>
      chooseTargets(ask(text, { routing: { sort: 'cost' } }), CALLER, servicesWith([tiered, flat])).ids[0]
    assert.equal(cheapest('x'.repeat(40_000)), 'any/tiered')
    assert.equal(cheapest('x'.repeat(120_000)), 'any/flat')
  })

  test('allowed providers are the only ones', () => {
    const two = routingServices({ one: { rows: [row('a')] }, two: { rows: [row('b')] } })
    const { ids, decision } = chooseTargets(ask('Hi', { routing: { allowed_providers: ['two'] } }), CALLER, two)
    assert.deepEqual(ids, ['two/b'])
    assert.deepEqual(decision.refused.by_reason, { provider_not_allowed: 1 })
    refused(
      ask('Hi', { routing: { allowed_providers: ['two'] }, router_candidates: ['one/a'] }),
      CALLER,
      two,
      /its provider is not allowed/,
    )
  })
})

describe('the decision', () => {
  const rows = Array.from({ length: 1_500 }, (_, index) =>
    row(`model-${index}`, { can: index % 3 ? ['tools'] : [], quality: 3 }),
  )
  const request = ask('Compare these', { ...TOOLS, stream: true, max_tokens: 100, routing: { quality_cost: 3 } })

  test('names the best four and explains them, in bounded size', () => {
    const { ids, decision } = chooseTargets(request, CALLER, servicesWith(rows))
    assert.deepEqual(ids, ['any/model-1', 'any/model-10', 'any/model-100', 'any/model-1000'])
    assert.deepEqual(
      decision.ranking.map(({ model }) => model),
      ids,
    )
    const { router, considered, eligible, needs, steering: preferences } = decision
    assert.deepEqual([router, considered, eligible], ['@service', 1_500, 1_000])
    assert.deepEqual(needs.abilities, ['tools', 'streaming'])
    assert.deepEqual(preferences, { sort: null, quality_cost: 3, allowed_providers: null })
    assert.deepEqual(decision.refused.by_reason, { tools: 500 })
    assert.ok(decision.difficulty.signals.steps! > 0)
    assert.ok(JSON.stringify(decision).length < 4_000)
  })

  test('is the same each time, and leaves the request as it was', () => {
    const before = JSON.stringify(request)
    assert.deepEqual(
      chooseTargets(request, CALLER, servicesWith(rows)),
      chooseTargets(request, CALLER, servicesWith(rows)),
    )
    assert.equal(JSON.stringify(request), before)
  })

  test('learns: a target that fails gives way to the next of the ranking', () => {
    const services = servicesWith(rows)
    const [first, second] = chooseTargets(request, CALLER, services).ids
    for (let count = 0; count < 5; count++) {
      services.observations.note({
        target: first!,
        owner: CALLER.owner,
        firstTokenMs: null,
        tokens: null,
        durationMs: 10,
        failed: true,
      })
    }
    assert.equal(chooseTargets(request, CALLER, services).ids[0], second)
  })
})
