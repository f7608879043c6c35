import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { Problem } from '../../../contract/problems.ts'
import { hookTools } from '../fixtures/hook-tools.ts'
import { ASKED, called, FIXED, REPLACED, SECRET } from '../fixtures/text-places.ts'
import { PRE_HOOKS } from '../index.ts'
import { parseWritten } from '../../json/written-numbers.ts'
import { mapRequestTexts, requestTexts } from './request-texts.ts'

test('redact_pii: no text reaches the provider, wherever it stands', async () => {
  for (const [place, fields] of Object.entries(REPLACED)) {
    const before = JSON.stringify(fields)
    const text = JSON.stringify(await run('redact_pii', fields))
    assert.ok(text.includes('[EMAIL_1]') && !text.includes('mail.example'), `${place} ${text}`)
    assert.equal(JSON.stringify(fields), before, place)
  }
})

test('redact_pii: what cannot be replaced stays', async () => {
  for (const [place, fields] of Object.entries(FIXED))
    assert.ok(JSON.stringify(await run('redact_pii', fields)).includes(SECRET), place)
})

test('block_patterns reads the same texts', async () => {
  for (const [place, fields] of Object.entries({ ...REPLACED, ...FIXED }))
    for (const params of [{ words: ['ada'] }, { patterns: ['a@mail'] }])
      await assert.rejects(run('block_patterns', params, fields), (error) => isBlocked(error, /0/), place)
})

test('words of the interface, images, audio and bytes of files are no texts', () => {
  const content = [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1hZ2U=', detail: 'high' } },
    { type: 'input_audio', input_audio: { data: 'eA==', format: 'wav' } },
    { type: 'file', file: { file_data: 'eA==' } },
  ]
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
  const settings = {
    modalities: ['text'],
    reasoning_effort: 'high',
    tool_choice: 'auto',
    thinking: { type: 'enabled' },
  }
  const control = { fallbacks: ['a/b'], pre_hooks: [{ action: 'block_patterns', params: { words: ['x'] } }] }
  const request = { model: 'a/b', messages: [{ role: 'user', content }], tools, ...settings, ...control }
  assert.deepEqual(requestTexts(request as unknown as ChatRequest), ['f'])
})

test('numbers that may say something are read as they were written, and measures are not', () => {
  const more = { card: 4111_1111_1111_1111, list: [4_242_424_242_424_242, 100_264], max_size: 100_000, small: 9_999 }
  const text = '{"exact":{"id":12345678901234567890}}'
  const request = { model: 'a/b', messages: [ASKED], seed: 123_456, max_tokens: 128_000, extra_body: { ...more } }
  assert.deepEqual(requestTexts(request as unknown as ChatRequest), ['Hi', '4111111111111111', '4242424242424242'])
  const exact = { ...request, extra_body: parseWritten(text) }
  assert.deepEqual(requestTexts(exact as unknown as ChatRequest), ['Hi', '12345678901234567890'])
})

test('addresses of images and files are texts that cannot be replaced; their bytes are not', () => {
  const part = (content: unknown) => ({ model: 'a/b', messages: [{ role: 'user', content: [content] }] })
  const url = `https://img.example/?of=${SECRET}`
  for (const content of [
    { type: 'image_url', image_url: { url, detail: 'high' } },
    { type: 'image_url', image_url: url },
    { type: 'file', file: { file_data: url } },
  ]) {
    const read: [string, boolean][] = []
    mapRequestTexts(part(content) as unknown as ChatRequest, (text, isFixed) => {
      read.push([text, isFixed])
      return text
    })
    assert.deepEqual(read, [[url, true]])
  }
  for (const image_url of ['data:image/png;base64,aGVsbG8=', { url: 'data:image/png;base64,aGVsbG8=' }])
    assert.deepEqual(requestTexts(part({ type: 'image_url', image_url }) as unknown as ChatRequest), [])
})

test('a request with too many values is refused, and arguments that are nested too deeply are searched as a text', async () => {
  const many = { extra_body: { list: Array.from({ length: 300_001 }, () => 0) } }
  const deep = called({ function: { name: 'f', arguments: `${'['.repeat(100_000)}${']'.repeat(100_000)}` } })
  await assert.rejects(run('redact_pii', many), (error) => error instanceof Problem && error.code === 'too_large')
  // The engine that searches long texts.
  await assert.rejects(run('redact_pii', deep), /there is no engine redact_pii here/)
})

/** Of `block_patterns`, the second argument has the parameters. */
async function run(action: string, given: object, more?: object): Promise<ChatRequest> {
  const request = { model: 'sandbox/echo', messages: [ASKED], ...(more ?? given) } as unknown as ChatRequest
  return await PRE_HOOKS[action]!.run(request, more ? given : {}, hookTools().tools)
}

function isBlocked(error: unknown, message: RegExp): boolean {
  return error instanceof Problem && error.code === 'content_blocked' && message.test(error.message)
}
