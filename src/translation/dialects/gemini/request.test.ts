import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { Target } from '../chat-codec.ts'
import { encode } from './request.ts'

const STUDIO: Target = { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', model: 'gemini-3.5-flash' }
const VERTEX: Target = { ...STUDIO, baseUrl: 'https://eu.test/v1/projects/p/locations/eu/publishers/google' }

describe('the address', () => {
  test('whole and streamed, at AI Studio and at Vertex', () => {
    assert.equal(wire({}).url, `${STUDIO.baseUrl}/models/gemini-3.5-flash:generateContent`)
    assert.equal(wire({ stream: true }).url, `${STUDIO.baseUrl}/models/gemini-3.5-flash:streamGenerateContent?alt=sse`)
    assert.equal(wire({}, VERTEX).url, `${VERTEX.baseUrl}/models/gemini-3.5-flash:generateContent`)
  })

  test('a name of a model leads nowhere else', () => {
    const { url } = wire({}, { ...STUDIO, model: '../../v1/files?x=\ud800' })
    assert.equal(new URL(url).pathname.split('/').length, 4)
    assert.equal(new URL(url).search, '')
  })

  test('headers: no credential of ours, the caller adds but does not replace', () => {
    const { headers } = wire({ stream: true, extra_headers: { 'X-Trace': 'a', Accept: 'text/html' } })
    assert.deepEqual(headers, { 'content-type': 'application/json', accept: 'text/event-stream', 'x-trace': 'a' })
  })
})

describe('the settings', () => {
  test('numbers and lists under their names at Google', () => {
    const config = body({
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      max_completion_tokens: 10,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      n: 3,
      seed: 7,
      stop: 'END',
      logprobs: true,
      top_logprobs: 4,
      modalities: ['text', 'image'],
      image_config: { aspect_ratio: '16:9', image_size: null },
      audio: { voice: 'Kore' },
    }).generationConfig
    assert.deepEqual(config, {
      temperature: 0,
      topP: 0.5,
      maxOutputTokens: 10,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      candidateCount: 3,
      seed: 7,
      stopSequences: ['END'],
      responseLogprobs: true,
      logprobs: 4,
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9' },
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    })
  })

  test('no settings send nothing', () => {
    const nulls = { temperature: null, n: null, stop: null, tools: [], tool_choice: null, metadata: null, seed: null }
    assert.deepEqual(body({ ...nulls, n: 1 }), { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
  })

  test('a stream has one candidate', () => {
    assert.equal(body({ n: 4, stream: true }).generationConfig, undefined)
  })

  test('values out of range are cut, merged or refused, with a note', () => {
    const { body, notes } = encoded({ stop: ['a', '', 'b', 'c', 'd', 'e', 'f'], seed: 2 ** 40 + 5, top_logprobs: 2 })
    assert.deepEqual(body.generationConfig, { stopSequences: ['a', 'b', 'c', 'd', 'e'], seed: 5 })
    assert.deepEqual(notes.map(({ field }) => field).toSorted(), ['seed', 'stop', 'top_logprobs'])
    assert.throws(() => encoded({ n: 9 }), { status: 422, message: /^n: Gemini gives at most 8/ })
  })

  test('fields that Google does not know are named', () => {
    const { body, notes } = encoded({
      logit_bias: { 1: 2 },
      prediction: { type: 'content' },
      verbosity: 'low',
      user: 'u',
      metadata: { a: 'b' },
      stream_options: { include_usage: true },
    })
    assert.deepEqual(Object.keys(body), ['contents'])
    assert.deepEqual(
      notes.map(({ field, action }) => `${action} ${field}`),
      ['logit_bias', 'prediction', 'verbosity', 'user', 'metadata'].map((field) => `dropped ${field}`),
    )
  })

  test('tiers: in the body at AI Studio, a header at Vertex', () => {
    assert.equal(body({ service_tier: 'flex' }).serviceTier, 'flex')
    assert.equal(body({ service_tier: 'default' }).serviceTier, 'standard')
    assert.equal(body({ service_tier: 'auto' }).serviceTier, undefined)
    assert.equal(encoded({ service_tier: 'scale' }).notes[0]?.field, 'service_tier')
    assert.equal(wire({ service_tier: 'flex' }, VERTEX).headers['x-vertex-ai-llm-shared-request-type'], 'flex')
    assert.equal(body({ service_tier: 'flex' }, VERTEX).serviceTier, undefined)
  })

  test('labels at Vertex are the part of the metadata that fits', () => {
    const { body, notes } = encoded({ metadata: { team: 'search', Loud: 'x', count: 3 } }, VERTEX)
    assert.deepEqual(body.labels, { team: 'search' })
    assert.deepEqual(
      notes.map(({ field }) => field),
      ['metadata.Loud', 'metadata.count'],
    )
  })
})

describe('rules of the row, the model and the caller', () => {
  test('a field that the model refuses is left out, with a note', () => {
    const { body, notes } = encoded(
      { temperature: 1, presence_penalty: 1 },
      { ...STUDIO, traits: { refuses: ['presence_penalty', 'stop'] } },
    )
    assert.deepEqual(body.generationConfig, { temperature: 1 })
    assert.deepEqual(notes, [{ field: 'presence_penalty', action: 'dropped', reason: 'this model refuses it' }])
  })

  test('the field rules of the row drop fields, rename them and set defaults', () => {
    const fieldRules = {
      drop: ['seed'],
      rename: { max_completion_tokens: 'max_tokens', user: 'endUser' },
      defaults: { temperature: 1, top_p: 0.9, safetySettings: [] },
    }
    const { body, notes } = encoded(
      { seed: 1, max_completion_tokens: 5, user: 'u', top_p: 0.1 },
      { ...STUDIO, fieldRules },
    )
    assert.deepEqual(body.generationConfig, { maxOutputTokens: 5, temperature: 1, topP: 0.1 })
    assert.deepEqual([body.endUser, body.safetySettings], ['u', []])
    assert.deepEqual(
      notes.map(({ action }) => action),
      ['dropped', 'renamed', 'renamed'],
    )
  })

  test('unknown fields pass, extra_body wins, and a part of generationConfig leaves the rest', () => {
    const request = { temperature: 1, safetySettings: [1], cachedContent: 'a', nothing: null }
    const extra_body = { cachedContent: 'b', generationConfig: { topK: 5, temperature: 2 } }
    const { contents: _, ...rest } = body({ ...request, extra_body } as Partial<ChatRequest>)
    assert.deepEqual(rest, { safetySettings: [1], cachedContent: 'b', generationConfig: { temperature: 2, topK: 5 } })
  })
})

function encoded(fields: Partial<ChatRequest>, target: Target = STUDIO) {
  const request = { model: 'google/gemini', messages: [{ role: 'user' as const, content: 'Hi' }], ...fields }
  const { wire, notes } = encode({ request }, target)
  return { wire, notes, body: JSON.parse(String(wire.body)) }
}

function body(fields: Partial<ChatRequest>, target?: Target) {
  return encoded(fields, target).body
}

function wire(fields: Partial<ChatRequest>, target?: Target) {
  return encoded(fields, target).wire
}
