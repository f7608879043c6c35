import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costOf, inputOf, outputOf, toTokens } from './token-buckets.ts'

const PRICE = { input: 2.5, output: 10, cacheRead: 1.25 }

test('cached tokens are part of the prompt and cost their own rate', () => {
  const tokens = toTokens({
    prompt_tokens: 1_000,
    completion_tokens: 100,
    total_tokens: 1_100,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 60 },
  })
  assert.deepEqual(tokens, {
    plainInput: 600,
    cacheRead: 400,
    cacheWrite: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    imageInput: 0,
    plainOutput: 40,
    reasoning: 60,
    audioOutput: 0,
    imageOutput: 0,
  })
  assert.equal(costOf(tokens, PRICE), 0.003)
})

test('the buckets never overlap: they sum to what the provider counted', () => {
  const count = fc.nat(100_000)
  fc.assert(
    fc.property(count, count, count, count, count, (plain, cached, written, output, reasoning) => {
      const usage = {
        prompt_tokens: plain + cached + written,
        completion_tokens: output + reasoning,
        total_tokens: 0,
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
        completion_tokens_details: { reasoning_tokens: reasoning },
      }
      const tokens = toTokens(usage)
      assert.equal(inputOf(tokens), usage.prompt_tokens)
      assert.equal(outputOf(tokens), usage.completion_tokens)
    }),
  )
})

test('a part of the price that is absent costs what plain input costs, not nothing', () => {
  const tokens = toTokens({
    prompt_tokens: 1_000_000,
    completion_tokens: 0,
    total_tokens: 0,
    prompt_tokens_details: { cached_tokens: 1_000_000 },
  })
  assert.equal(costOf(tokens, { input: 3, output: 1 }), 3)
})

test('a long prompt is priced in its tier, wholly', () => {
  const tiered = { input: 1, output: 2, tiers: [{ above: 100, input: 10, output: 20 }] }
  const prompt = (tokens: number) => toTokens({ prompt_tokens: tokens, completion_tokens: 1, total_tokens: 0 })
  assert.equal(costOf(prompt(100), tiered), 102e-6)
  assert.equal(costOf(prompt(101), tiered), 1_030e-6)
})

test('an unknown cost is null, never zero', () => {
  const tokens = toTokens({ prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 })
  const audio = toTokens({
    prompt_tokens: 10,
    completion_tokens: 10,
    total_tokens: 20,
    completion_tokens_details: { audio_tokens: 5 },
  })
  assert.equal(costOf(tokens, null), null)
  assert.equal(costOf(tokens, undefined), null)
  assert.equal(costOf(audio, PRICE), null)
  assert.equal(costOf(tokens, PRICE, 'priority'), null)
})

test('flex is half the price', () => {
  const tokens = toTokens({ prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 0 })
  assert.equal(costOf(tokens, PRICE, 'flex'), 1.25)
  assert.equal(costOf(tokens, PRICE, 'default'), 2.5)
})

test('a service tier with a price of its own costs that, with its own steps', () => {
  const flex = { input: 4, output: 8 }
  const priority = { input: 5, output: 20, tiers: [{ above: 100, input: 50, output: 200 }] }
  const price = { ...PRICE, serviceTiers: { flex, priority } }
  const prompt = (prompt_tokens: number) => toTokens({ prompt_tokens, completion_tokens: 1 })
  assert.equal(costOf(prompt(100), price, 'flex'), 408e-6)
  assert.equal(costOf(prompt(100), price, 'priority'), 520e-6)
  assert.equal(costOf(prompt(101), price, 'priority'), 5_250e-6)
  assert.equal(costOf(prompt(100), price, 'default'), 260e-6)
  for (const unknown of ['scale', 'fast', 'performance']) assert.equal(costOf(prompt(100), price, unknown), null)
})

test('flex is half of every step', () => {
  const tiered = { input: 2, output: 4, cacheStorage: 1, tiers: [{ above: 100, input: 20, output: 40 }] }
  const prompt = (prompt_tokens: number) => toTokens({ prompt_tokens, completion_tokens: 1 })
  assert.deepEqual([costOf(prompt(100), tiered, 'flex'), costOf(prompt(101), tiered, 'flex')], [102e-6, 1_030e-6])
})

test('no token is billed twice: every bucket at its own rate, and the sum of the buckets is the total', () => {
  const count = fc.nat(50_000)
  fc.assert(
    fc.property(fc.array(count, { minLength: 8, maxLength: 8 }), count, count, (counts, prompt, completion) => {
      const [cached, written, hour, audio, image, reasoning, sound, drawn] = counts as [number, ...number[]]
      const usage = {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        prompt_tokens_details: {
          cached_tokens: cached,
          cache_write_tokens: written,
          cache_write_1h_tokens: hour,
          audio_tokens: audio,
          image_tokens: image,
        },
        completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: sound, image_tokens: drawn },
      }
      const tokens = toTokens(usage)
      assert.equal(inputOf(tokens), prompt)
      assert.equal(outputOf(tokens), completion)
      for (const bucket of Object.values(tokens)) assert.ok(bucket >= 0)
      // With one price for all tokens, it does not matter how they are divided.
      const one = { input: 1, output: 1, audioInput: 1, audioOutput: 1 }
      assert.ok(Math.abs(costOf(tokens, one)! * 1e6 - prompt - completion) < 1e-3)
    }),
  )
})

test('an hour in the cache has its own price, and is part of the writes', () => {
  const tokens = toTokens({
    prompt_tokens: 1_000_000,
    completion_tokens: 0,
    total_tokens: 1_000_000,
    prompt_tokens_details: { cache_write_tokens: 1_000_000, cache_write_1h_tokens: 400_000 },
  })
  assert.equal(costOf(tokens, { input: 3, output: 15, cacheWrite: 3.75, cacheWrite1h: 6 }), 0.6 * 3.75 + 0.4 * 6)
})
