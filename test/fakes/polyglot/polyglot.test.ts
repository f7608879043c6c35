import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sha256Hex, signRequest } from '../../../src/platform/net/sigv4.ts'
import { startFakeProvider } from '../provider.ts'
import { polyglot } from './polyglot.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

// A fake that accepts everything proves nothing: it has to refuse what the real servers refuse.

const AWS = { accessKeyId: 'AKIA', secretAccessKey: 'secret', region: 'eu-west-1' }
const fake = await startFakeProvider({ everyPath: true })
fake.always(polyglot({ key: 'key', aws: AWS }))
after(() => fake.close())
const base = fake.url.replace(/\/v1$/, '')

type Case = { path: string; headers: Record<string, string>; body: Record<string, unknown>; worse: [string, object][] }

const user = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]
const CASES: Record<string, Case> = {
  openai: {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer key' },
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    worse: [
      ['a field of the gateway', { fallbacks: ['x/y'] }],
      ['a null', { temperature: null }],
      ['stream_options without a stream', { stream_options: {} }],
      ['a function without its wrapping', { tools: [{ type: 'function', name: 'f' }] }],
      ['a tool without a type', { tools: [{ name: 'f', input_schema: { type: 'object' } }] }],
      ['a tool of another maker', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
      ['a choice of another maker', { tool_choice: { type: 'any' } }],
      ['a choice of the responses format', { tool_choice: { type: 'function', name: 'f' } }],
    ],
  },
  anthropic: {
    path: '/v1/messages',
    headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
    body: { model: 'm', max_tokens: 9, messages: user },
    worse: [
      ['no limit', { max_tokens: undefined }],
      ['the assistant first', { messages: [{ role: 'assistant', content: user[0]!.content }] }],
      ['empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }],
      [
        'a call without a result',
        { messages: [...user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }] },
      ],
    ],
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    headers: { 'x-goog-api-key': 'key' },
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    worse: [
      ['a model in the body', { model: 'm' }],
      [
        'a result without a call',
        { contents: [{ role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f' } }] }] },
      ],
    ],
  },
  cohere: {
    path: '/v2/chat',
    headers: { authorization: 'Bearer key' },
    body: { model: 'm', stream: false, messages: [{ role: 'user', content: 'Hi' }] },
    worse: [
      ['nothing said of a stream', { stream: undefined }],
      ['a role of others', { messages: [{ role: 'developer', content: 'Hi' }] }],
      ['a format beside tools', { response_format: {}, tools: [{ function: { name: 'f' } }] }],
    ],
  },
}

for (const [name, { path, headers, body, worse }] of Object.entries(CASES))
  describe(name, () => {
    test('a good request is answered', async () => assert.equal(await send(path, headers, body), 200))

    for (const header of Object.keys(headers))
      test(`without ${header} it is refused`, async () => {
        const { [header]: _, ...others } = headers
        assert.ok((await send(path, others, body)) >= 400)
      })

    for (const [what, change] of worse)
      test(`${what} is refused`, async () => assert.equal(await send(path, headers, { ...body, ...change }), 400))
  })

describe('bedrock', () => {
  const url = `${base}/model/${encodeURIComponent('eu.anthropic.claude:0')}/converse`
  const text = JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
  const plain = { method: 'POST' as const, url, headers: { 'content-type': 'application/json' }, body: text }
  const { region, accessKeyId } = AWS
  const signed = (secretAccessKey: string, now = new Date()) => {
    const scope = { service: 'bedrock', region, now, credentials: { accessKeyId, secretAccessKey } }
    return { headers: signRequest({ ...plain, payloadHash: sha256Hex(text) }, scope) }
  }

  const cases: [string, number, { headers: Record<string, string>; body: string }][] = [
    ['a good signature', 200, { headers: signed('secret').headers, body: text }],
    ['no signature', 403, plain],
    ['a signature with another key', 403, { headers: signed('other').headers, body: text }],
    ['a signature of another body', 403, { headers: signed('secret').headers, body: text.replace('Hi', 'Ho') }],
    ['an old signature', 403, { headers: signed('secret', new Date(Date.now() - HOUR_MS)).headers, body: text }],
  ]
  for (const [what, status, { headers, body }] of cases)
    test(what, async () => assert.equal((await drained(fetch(url, { method: 'POST', headers, body }))).status, status))
})

async function send(path: string, headers: Record<string, string>, body: object): Promise<number> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  return (await drained(fetch(base + path, init))).status
}

async function drained(pending: Promise<Response>): Promise<Response> {
  const response = await pending
  await response.arrayBuffer()
  return response
}
