import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceTierOf, toUsage } from './usage.ts'

test('reasoning counts as output, tool results as input', () => {
  const counts = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 5,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 20,
    totalTokenCount: 42,
  }
  const usage = toUsage(counts)
  assert.deepEqual(usage, {
    prompt_tokens: 15,
    completion_tokens: 27,
    total_tokens: 42,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 20 },
  })
})

test('reasoning that is already part of the answer is not counted twice', () => {
  const counts = { promptTokenCount: 10, candidatesTokenCount: 27, thoughtsTokenCount: 20, totalTokenCount: 37 }
  assert.equal(toUsage(counts)?.completion_tokens, 27)
})

test('every token read is in one bucket', () => {
  const count = (modality: string, tokenCount: number) => ({ modality, tokenCount })
  const counts = {
    promptTokenCount: 300,
    cachedContentTokenCount: 150,
    candidatesTokenCount: 30,
    promptTokensDetails: [count('TEXT', 120), count('AUDIO', 100), count('IMAGE', 50), count('VIDEO', 30)],
    cacheTokensDetails: [count('TEXT', 90), count('AUDIO', 60)],
    candidatesTokensDetails: [count('TEXT', 10), count('AUDIO', 20)],
  }
  const { prompt_tokens_details: read, completion_tokens_details: written } = toUsage(counts)!
  assert.deepEqual(read, { cached_tokens: 150, text_tokens: 30, audio_tokens: 40, image_tokens: 50, video_tokens: 30 })
  assert.equal(
    Object.values(read!).reduce((sum: number, tokens) => sum + Number(tokens), 0),
    300,
  )
  assert.deepEqual(written, { reasoning_tokens: 0, text_tokens: 10, audio_tokens: 20 })
})

test('a cache without details never leaves more than was read', () => {
  const promptTokensDetails = [{ modality: 'AUDIO', tokenCount: 100 }]
  const counts = { promptTokenCount: 100, cachedContentTokenCount: 80, candidatesTokenCount: 1, promptTokensDetails }
  assert.deepEqual(toUsage(counts)?.prompt_tokens_details, { cached_tokens: 80, audio_tokens: 20 })
})

test('nothing counted is no usage', () => {
  for (const value of [undefined, null, {}, 'x', { trafficType: 'ON_DEMAND' }]) assert.equal(toUsage(value), undefined)
})

test('the tier is read from the type of traffic or the tier that Google names', () => {
  assert.equal(serviceTierOf({ trafficType: 'ON_DEMAND_PRIORITY' }), 'priority')
  assert.equal(serviceTierOf({ serviceTier: 'flex' }), 'flex')
  assert.equal(serviceTierOf({ trafficType: 'PROVISIONED_THROUGHPUT' }), undefined)
})
