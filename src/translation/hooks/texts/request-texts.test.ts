import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { Problem } from '../../../contract/problems.ts'
import { hookTools } from '../fixtures/hook-tools.ts'
import { ASKED, called, FIXED, REPLACED, SECRET } from '../fixtures/text-places.ts'
import { PRE_HOOKS } from '../index.ts'
import { requestTexts } from './request-texts.ts'

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
    { type: 'image_url', image_url: { url: 'data:,image', detail: 'high' } },
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
