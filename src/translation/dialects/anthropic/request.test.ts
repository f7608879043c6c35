import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { encoded } from './fixtures/encoded.ts'

describe('where it goes', () => {
  test('address and headers; the credential is not put here', () => {
    const { wire } = encoded({ stream: true })
    assert.equal(wire.url, 'https://provider.test/v1/messages')
    assert.equal(wire.method, 'POST')
    assert.deepEqual(wire.headers, {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-version': '2023-06-01',
    })
  })

  test('further headers go along, ours stay, betas are joined', () => {
    const { wire } = encoded({
      speed: 'fast',
      extra_headers: {
        'X-Trace': '1',
        Accept: 'text/html',
        'Anthropic-Version': '1999',
        'Anthropic-Beta': 'a, fast-mode-2026-02-01,b',
      },
    })
    assert.partialDeepStrictEqual(wire.headers, {
      'x-trace': '1',
      accept: 'application/json',
      'anthropic-version': '2023-06-01',
    })
    assert.equal(wire.headers['anthropic-beta'], 'fast-mode-2026-02-01,a,b')
  })
})

describe('fields', () => {
  test('are sent under their own names, and what is not supported is noted', () => {
    const { body, notes } = encoded({
      stream: true,
      stop: 'END',
      user: 'u1',
      temperature: 0.5,
      n: 3,
      stream_options: {},
    })
    assert.deepEqual(body, {
      model: 'claude-test',
      max_tokens: 4096,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stop_sequences: ['END'],
      temperature: 0.5,
      metadata: { user_id: 'u1' },
      stream: true,
    })
    assert.deepEqual(notes, [])
  })

  test('sampling: up to 1, and one of the two', () => {
    const { body, noted } = encoded({ temperature: 1.5, top_p: 0.5 })
    assert.deepEqual([body.temperature, body.top_p], [1, undefined])
    assert.deepEqual(noted, ['dropped top_p', 'translated temperature'])
    assert.equal(encoded({ top_p: 0.5 }).body.top_p, 0.5)
  })

  test('stop sequences need something visible', () => {
    const { body, noted } = encoded({ stop: ['\n', 'a'] })
    assert.deepEqual([body.stop_sequences, noted], [['a'], ['dropped stop']])
  })

  const tiers: [NonNullable<ChatRequest['service_tier']>, string | undefined, number][] = [
    ...([
      ['auto', 'auto', 0],
      ['default', 'standard_only', 0],
      ['flex', undefined, 1],
    ] as const),
    ...([
      ['scale', undefined, 1],
      ['priority', 'auto', 1],
    ] as const),
  ].map(([tier, wire, count]) => [tier, wire, count])
  for (const [service_tier, wire, count] of tiers) {
    test(`the tier ${service_tier}`, () => {
      const { body, notes } = encoded({ service_tier })
      assert.deepEqual([body.service_tier, notes.length], [wire, count])
    })
  }

  test('fields that cannot be translated are dropped with a note', () => {
    const fields = {
      frequency_penalty: 1,
      presence_penalty: 1,
      logit_bias: { 1: 1 },
      logprobs: true,
      top_logprobs: 2,
      seed: 1,
      modalities: ['audio'],
      prediction: {},
      audio: {},
      verbosity: 'low' as const,
      metadata: { a: 1 },
      image_config: {},
      store: true,
      prompt_cache_key: 'k',
    }
    const { body, noted } = encoded(fields)
    assert.deepEqual(Object.keys(body), ['model', 'max_tokens', 'messages'])
    assert.deepEqual(
      noted,
      Object.keys(fields).map((field) => `dropped ${field}`),
    )
  })

  test('default values are dropped without a note', () => {
    const { notes } = encoded({
      frequency_penalty: 0,
      presence_penalty: 0,
      logprobs: false,
      modalities: ['text'],
      seed: null,
    })
    assert.deepEqual(notes, [])
  })

  test('unknown fields pass, nulls are dropped, and fields that are already set stay', () => {
    const { body, noted } = encoded({ top_k: 5, inference_geo: 'eu', x_null: null, stop: ['a'], stop_sequences: ['b'] })
    assert.deepEqual([body.top_k, body.inference_geo, 'x_null' in body, body.stop_sequences], [5, 'eu', false, ['a']])
    assert.deepEqual(noted, ['dropped stop_sequences'])
  })

  test('extra_body comes last, but does not choose the model', () => {
    const { body } = encoded({ temperature: 0.1, extra_body: { temperature: 0.9, container: 'c', model: 'other' } })
    assert.deepEqual([body.temperature, body.container, body.model], [0.9, 'c', 'claude-test'])
  })

  test('fields that the model refuses are dropped with a note', () => {
    const { body, noted } = encoded(
      { temperature: 0.1, top_p: 0.5, stop: ['a'] },
      { refuses: ['temperature', 'top_p', 'stop'] },
    )
    assert.deepEqual(Object.keys(body), ['model', 'max_tokens', 'messages'])
    assert.deepEqual(noted, ['dropped temperature', 'dropped top_p', 'dropped stop'])
  })

  test('field rules of the row: drop, rename, defaults', () => {
    const fieldRules = {
      drop: ['stop'],
      rename: { user: 'end_user' },
      defaults: { max_tokens: 50, temperature: 0.3, top_p: 0.1 },
    }
    const { body, noted } = encoded({ stop: 'a', user: 'u', temperature: 0.7 }, { refuses: ['top_p'] }, fieldRules)
    assert.deepEqual([body.stop_sequences, body.metadata, body.end_user], [undefined, undefined, 'u'])
    assert.deepEqual([body.max_tokens, body.temperature], [50, 0.7])
    assert.deepEqual(noted, ['dropped stop', 'renamed user', 'dropped top_p'])
  })
})
