import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FailureKind, WireFailure, type WireResponse } from '../wire/wire.ts'
import { REHEARSALS } from './rehearsals.ts'
import { createSandbox } from './sandbox.ts'
import catalog from '../../platform/catalog/models/sandbox.json' with { type: 'json' }

const send = createSandbox({ now: () => 0 })
const SENTENCE = 'The quick brown fox jumps over the lazy dog'
const BOTH = [
  ['whole', false],
  ['streamed', true],
] as const

test('every rehearsal is in the list of models, with a sentence', () => {
  assert.deepEqual(
    catalog.models.filter(({ type }) => type === 'chat').map(({ id }) => id),
    ['echo', 'tools', ...REHEARSALS.keys()],
  )
  for (const { description } of catalog.models) assert.match(description, /^(Simulated|Rehearsal): [^.]+\.$/)
})

const REFUSALS: [model: string, status: number, type: string, code: string | null, retryAfter?: string][] = [
  ['fail-429', 429, 'requests', 'rate_limit_exceeded', '1'],
  ['fail-500', 500, 'server_error', null],
  ['fail-503', 503, 'server_error', null],
  ['context-length', 400, 'invalid_request_error', 'context_length_exceeded'],
  ['content-filter', 400, 'invalid_request_error', 'content_policy_violation'],
]

for (const [how, stream] of BOTH) {
  for (const [model, status, type, code, retryAfter] of REFUSALS) {
    test(`${model}, ${how}`, async () => {
      const response = await ask(model, stream)
      assert.equal(response.status, status)
      assert.equal(response.headers['content-type'], 'application/json')
      assert.equal(response.headers['retry-after'], retryAfter)
      const { error } = JSON.parse((await read(response)).text) as { error: Record<string, unknown> }
      assert.deepEqual([error.type, error.code], [type, code])
      assert.match(String(error.message), /sandbox/)
    })
  }

  test(`refuse, ${how}`, async () => {
    await assert.rejects(ask('refuse', stream), isFailure('refused'))
  })

  test(`silent, ${how}: until the limit, or until the caller leaves`, async () => {
    await assert.rejects(ask('silent', stream, { headersMs: 5 }), isFailure('headers_timeout'))
    const abort = new AbortController()
    const answer = ask('silent', stream, {}, abort.signal)
    abort.abort(new Error('left'))
    await assert.rejects(answer, { message: 'left' })
  })

  test(`stall, ${how}: a caller who leaves does not wait`, async () => {
    const abort = new AbortController()
    const response = await ask('stall', stream, {}, abort.signal)
    setImmediate(() => abort.abort(new Error('left')))
    const { error } = await read(response)
    assert.equal((error as Error).message, 'left')
  })

  test(`cut, ${how}: an abort wins over the break`, async () => {
    const abort = new AbortController()
    const response = await ask('cut', stream, {}, abort.signal)
    abort.abort(new Error('left'))
    const { error } = await read(response)
    assert.equal((error as Error).message, 'left')
  })
}

test('context-length counts the prompt it was given', async () => {
  const { text } = await read(await ask('context-length', false))
  assert.match(text, /maximum context length is 8192 tokens, but the messages have 8203\b/)
})

test('cut, streamed: half of the words, no finish_reason, then a reset', async () => {
  const { text, error } = await read(await ask('cut', true))
  assert.equal(contentOf(text), 'The quick brown fox ju')
  assert.doesNotMatch(text, /"finish_reason":"|\[DONE\]/)
  assert.ok(isFailure('reset')(error))
})

test('cut, whole: half of the document, then a reset', async () => {
  const { text, error } = await read(await ask('cut', false))
  assert.match(text, /^\{"id":"chatcmpl-/)
  assert.throws(() => JSON.parse(text), SyntaxError)
  assert.ok(isFailure('reset')(error))
})

test('stall, streamed: half of the words, then nothing until the limit', async () => {
  const { text, error } = await read(await ask('stall', true, { idleMs: 5 }))
  assert.equal(contentOf(text), 'The quick brown fox ju')
  assert.ok(isFailure('idle_timeout')(error))
})

test('stall, whole: headers, then nothing until the limit', async () => {
  const response = await ask('stall', false, { idleMs: 5 })
  assert.equal(response.status, 200)
  const { text, error } = await read(response)
  assert.equal(text, '')
  assert.ok(isFailure('idle_timeout')(error))
})

test('a limit beyond what a timer can hold does not fire at once', async () => {
  const abort = new AbortController()
  const answer = ask('silent', false, { headersMs: Number.POSITIVE_INFINITY }, abort.signal)
  setTimeout(() => abort.abort(new Error('left')), 20)
  await assert.rejects(answer, { message: 'left' })
})

test('garbage, whole: a page instead of a document', async () => {
  const response = await ask('garbage', false)
  assert.deepEqual([response.status, response.headers['content-type']], [200, 'text/html'])
  const { text, error } = await read(response)
  assert.match(text, /^<!doctype html>/)
  assert.equal(error, null)
})

test('garbage, streamed: events that are no JSON, then the end', async () => {
  const response = await ask('garbage', true)
  assert.match(String(response.headers['content-type']), /^text\/event-stream/)
  const { text, error } = await read(response)
  const events = text.split('\n\n').slice(0, -1)
  assert.equal(events.length, 2)
  for (const event of events) assert.throws(() => JSON.parse(event.slice('data: '.length)), SyntaxError)
  assert.equal(error, null)
})

function ask(
  model: string,
  stream: boolean,
  timeouts: { headersMs?: number; idleMs?: number } = {},
  signal = new AbortController().signal,
): Promise<WireResponse> {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: SENTENCE }] })
  const request = { method: 'POST', url: 'sandbox://local/chat/completions', headers: {}, body } as const
  return send(request, { signal, timeouts: { headersMs: 60_000, idleMs: 60_000, ...timeouts }, owner: 'owner' })
}

async function read({ body }: WireResponse): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const piece of body) text += Buffer.from(piece).toString()
    return { text, error: null }
  } catch (error) {
    return { text, error }
  }
}

function isFailure(kind: FailureKind): (error: unknown) => boolean {
  return (error) => error instanceof WireFailure && error.kind === kind
}

function contentOf(events: string): string {
  const chunks = events.split('\n\n').slice(0, -1)
  return chunks.map((chunk) => JSON.parse(chunk.slice('data: '.length)).choices[0].delta.content).join('')
}
