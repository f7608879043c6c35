import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import { ROUTING_SORTS } from '../../../contract/routing.ts'
import { ABILITIES } from './ability.ts'
import type { Candidate } from './candidate.ts'
import { Observations } from '../../attempts/observations.ts'
import { type RankingInput, rank } from './rank.ts'
import type { RoutingPreferences } from './preferences.ts'

const ALL = (1 << ABILITIES.length) - 1

const candidate = fc.record({
  provider: fc.constantFrom('one', 'two', 'three'),
  isChat: fc.constant(true),
  regions: fc.constant(['global'] as const),
  lacking: fc.oneof(fc.constant(0), fc.nat(ALL)),
  unsure: fc.oneof(fc.constant(0), fc.nat(ALL)),
  reasoning: fc.boolean(),
  quality: fc.integer({ min: 1, max: 5 }),
  context: fc.option(fc.integer({ min: 1, max: 200_000 })),
  output: fc.option(fc.integer({ min: 1, max: 20_000 })),
  price: fc.option(fc.record({ input: fc.nat(20), output: fc.nat(80) })),
})
const candidates: fc.Arbitrary<Candidate[]> = fc
  .array(candidate, { maxLength: 25 })
  .map((list) => list.map((one, index) => ({ ...one, id: `${one.provider}/${String(index).padStart(2, '0')}` })))

const preferences: fc.Arbitrary<RoutingPreferences> = fc.record({
  sort: fc.option(fc.constantFrom(...ROUTING_SORTS)),
  qualityCost: fc.double({ min: 0, max: 10, noNaN: true }),
  allowedProviders: fc.option(fc.subarray(['one', 'two', 'three'], { minLength: 1 })),
})
const observations = fc
  .array(
    fc.record({
      target: fc
        .tuple(fc.constantFrom('one', 'two', 'three'), fc.nat(24))
        .map(([name, at]) => `${name}/${String(at).padStart(2, '0')}`),
      firstTokenMs: fc.option(fc.nat(5_000)),
      tokens: fc.option(fc.nat(1_000)),
      durationMs: fc.integer({ min: 5_001, max: 20_000 }),
      failed: fc.boolean(),
      owner: fc.constant('anna'),
    }),
    { maxLength: 80 },
  )
  .map((calls) => {
    const seen = new Observations(() => 0)
    for (const call of calls) seen.note(call)
    return seen
  })
const question: fc.Arbitrary<RankingInput> = fc.record({
  needs: fc.record({
    abilities: fc.subarray([...ABILITIES]),
    reasoning: fc.boolean(),
    promptTokens: fc.nat(100_000),
    audioTokens: fc.constant(0),
    maxOutputTokens: fc.option(fc.integer({ min: 1, max: 10_000 })),
    expectedOutputTokens: fc.integer({ min: 1, max: 10_000 }),
  }),
  difficulty: fc.double({ min: 0, max: 10, noNaN: true }).map((score) => ({ score, signals: {} })),
  serviceTier: fc.constantFrom(null, 'flex'),
  preferences,
  observations,
  circuitIsOpen: fc.constantFrom(
    () => false,
    ({ id }: { id: string }) => id.endsWith('7'),
  ),
  at: fc.constant(0),
})

test('every candidate is either ranked once or refused once', () => {
  fc.assert(
    fc.property(candidates, question, (list, request) => {
      const { best, eligible, refused } = rank(list, request)
      const named = [...idsOf(best), ...refused.map(({ id }) => id)]
      assert.deepEqual(named.sort(), list.map(({ id }) => id).sort())
      assert.equal(best.length, eligible)
    }),
  )
})

test('the order of the list does not matter', () => {
  fc.assert(
    fc.property(candidates, question, (list, request) => {
      assert.deepEqual(idsOf(rank(list.toReversed(), request).best), idsOf(rank(list, request).best))
    }),
  )
})

test('the few best are the beginning of the whole ranking', () => {
  fc.assert(
    fc.property(candidates, question, fc.integer({ min: 1, max: 6 }), (list, request, max) => {
      const few = rank(list, request, max)
      const all = rank(list, request)
      assert.deepEqual(idsOf(few.best), idsOf(all.best).slice(0, max))
      assert.equal(few.eligible, all.eligible)
    }),
  )
})

test('taking the winner away promotes the second, and leaves the rest in its order', () => {
  fc.assert(
    fc.property(candidates, question, (list, request) => {
      const [winner, ...others] = idsOf(rank(list, request).best)
      assert.deepEqual(
        idsOf(
          rank(
            list.filter(({ id }) => id !== winner),
            request,
          ).best,
        ),
        others,
      )
    }),
  )
})

test('of two that differ only in price, the more expensive is never first, however it is steered', () => {
  fc.assert(
    fc.property(candidate, question, fc.nat(20), fc.nat(80), (one, request, input, output) => {
      const price = one.price ?? { input: 1, output: 1 }
      const able = { ...one, lacking: 0, context: null, output: null, provider: 'one', price }
      const cheap = { ...able, id: 'one/z' }
      const dear = { ...able, id: 'one/a', price: { input: price.input + input, output: price.output + output } }
      fc.pre(input + output > 0 && request.needs.promptTokens > 0)
      const unseen = { ...request, observations: new Observations(() => 0), circuitIsOpen: () => false }
      const free = { ...unseen, preferences: { ...request.preferences, allowedProviders: null } }
      const first = idsOf(rank([dear, cheap], free).best)[0]
      // If the price has no weight, the name decides. With a sort by price it never does.
      if (free.preferences.sort === 'cost' || free.preferences.qualityCost > 0.01) assert.equal(first, 'one/z')
    }),
  )
})

test('with sort cost, no candidate is followed by a cheaper one of the same band', () => {
  fc.assert(
    fc.property(candidates, question, (list, request) => {
      const { best } = rank(list, { ...request, preferences: { ...request.preferences, sort: 'cost' } })
      const prices = best.map(({ band, cost }) => [band, cost ?? Number.POSITIVE_INFINITY] as const)
      const sorted = prices.toSorted(
        (one, other) => one[0] - other[0] || (one[1] < other[1] ? -1 : Number(one[1] > other[1])),
      )
      assert.deepEqual(prices, sorted)
    }),
  )
})

test('turning quality_cost towards the cost never chooses a more expensive model', () => {
  const DUST = 1e-9
  const dial = fc.double({ min: 0, max: 10, noNaN: true })
  fc.assert(
    fc.property(candidates, question, dial, dial, (list, request, one, other) => {
      const cheapness = (qualityCost: number) => {
        return (
          rank(list, { ...request, preferences: { ...request.preferences, sort: null, qualityCost } }).best[0]?.parts
            .cost ?? 0
        )
      }
      assert.ok(cheapness(Math.max(one, other)) >= cheapness(Math.min(one, other)) - DUST)
    }),
    { numRuns: sample(100, 500) },
  )
})

describe('what comes last', () => {
  const good: Candidate = { ...plain('one/a'), quality: 2, price: { input: 100, output: 100 } }

  test('a failing target, however cheap and good', () => {
    const seen = new Observations(() => 0)
    for (let count = 0; count < 6; count++) {
      seen.note({ target: 'one/b', owner: 'anna', firstTokenMs: null, tokens: null, durationMs: 10, failed: true })
    }
    const bad = { ...plain('one/b'), quality: 5 }
    for (const sort of [null, ...ROUTING_SORTS]) {
      assert.deepEqual(idsOf(rank([bad, good], simple({ sort }, { observations: seen })).best), ['one/a', 'one/b'])
    }
  })

  test('a model without reasoning, if reasoning is requested', () => {
    const thoughtless = { ...plain('one/b'), reasoning: false, quality: 5 }
    const request = simple({})
    const needs = { ...request.needs, reasoning: true }
    assert.deepEqual(idsOf(rank([thoughtless, good], { ...request, needs }).best), ['one/a', 'one/b'])
    assert.deepEqual(idsOf(rank([thoughtless, good], request).best), ['one/b', 'one/a'])
  })

  test('a model whose abilities are uncertain', () => {
    const unsure = { ...plain('one/b'), unsure: ALL, quality: 5 }
    const request = simple({})
    const needs = { ...request.needs, abilities: ['json_schema' as const] }
    assert.deepEqual(idsOf(rank([unsure, good], { ...request, needs }).best), ['one/a', 'one/b'])
    assert.deepEqual(idsOf(rank([unsure, good], request).best), ['one/b', 'one/a'])
  })

  test('a model too weak for the prompt, unless an order was named', () => {
    const weak = { ...plain('one/b'), quality: 1 }
    const strong = { ...good, quality: 5 }
    const difficulty = { score: 9, signals: {} }
    assert.deepEqual(idsOf(rank([weak, strong], simple({ qualityCost: 10 }, { difficulty })).best), ['one/a', 'one/b'])
    assert.deepEqual(idsOf(rank([weak, strong], simple({ sort: 'cost' }, { difficulty })).best), ['one/b', 'one/a'])
    assert.deepEqual(idsOf(rank([weak, strong], simple({ qualityCost: 10 })).best), ['one/b', 'one/a'])
  })
})

test('equal candidates are ordered by name', () => {
  const list = ['one/c', 'one/a', 'one/b'].map(plain)
  for (const sort of [null, ...ROUTING_SORTS]) {
    assert.deepEqual(idsOf(rank(list, simple({ sort })).best), ['one/a', 'one/b', 'one/c'])
  }
})

function plain(id: string): Candidate {
  const abilities = { lacking: 0, unsure: 0, reasoning: true, quality: 3 }
  const price = { input: 1, output: 1 }
  return { id, provider: 'one', isChat: true, regions: ['global'], ...abilities, context: null, output: null, price }
}

function simple(routingPreferences: Partial<RoutingPreferences>, rest: Partial<RankingInput> = {}): RankingInput {
  return {
    needs: {
      abilities: [],
      reasoning: false,
      promptTokens: 1_000,
      audioTokens: 0,
      maxOutputTokens: null,
      expectedOutputTokens: 500,
    },
    difficulty: { score: 0, signals: {} },
    serviceTier: null,
    preferences: { sort: null, qualityCost: 5, allowedProviders: null, ...routingPreferences },
    observations: new Observations(() => 0),
    circuitIsOpen: () => false,
    at: 0,
    ...rest,
  }
}

function idsOf(best: readonly { candidate: Candidate }[]): string[] {
  return best.map(({ candidate }) => candidate.id)
}
