import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { Problem } from '../../../contract/problems.ts'
import { hookTools } from '../fixtures/hook-tools.ts'
import type { PreTools } from '../hook.ts'
import { PRE_HOOKS } from '../index.ts'
import { requestTexts } from './request-texts.ts'

// Every place of a request where a text goes to a provider, with the mandatory hooks of a policy.

const SECRET = 'ada@mail.example'
const ASKED = { role: 'user', content: 'Hi' } as const
const answered = (fields: object) => ({ messages: [{ role: 'assistant', content: null, ...fields }, ASKED] })
const called = (call: unknown) => answered({ tool_calls: ['x', call] })
const schema = { type: 'object', properties: { to: { type: 'string', description: `As ${SECRET}` } } }

const REPLACED: Record<string, object> = {
  'a text': { messages: [{ role: 'user', content: SECRET }] },
  'a part': { messages: [{ role: 'user', content: [{ type: 'text', text: SECRET }] }] },
  'a refused part': answered({ content: [{ type: 'refusal', refusal: SECRET }] }),
  'the legacy call': answered({ function_call: { name: 'f', arguments: `{"to":"${SECRET}"}` } }),
  'a call beside an odd one': called({
    id: 'a',
    type: 'function',
    function: { name: 'f', arguments: `["${SECRET}"]` },
  }),
  'escaped arguments': called({ function: { name: 'f', arguments: String.raw`{"to":"\u0061da@mail.example"}` } }),
  'arguments that are no JSON': called({ function: { name: 'f', arguments: `to ${SECRET}` } }),
  'arguments that are an object': called({ function: { name: 'f', arguments: { to: SECRET } } }),
  'a custom call': called({ type: 'custom', custom: { name: 'f', input: SECRET } }),
  'a call that is a text': answered({ tool_calls: SECRET }),
  reasoning: answered({ reasoning_content: SECRET }),
  'a refusal': answered({ refusal: SECRET }),
  'the name of an author': { messages: [{ ...ASKED, name: SECRET }] },
  'an unknown member of a message': { messages: [{ ...ASKED, notes: [{ deep: SECRET }] }] },
  'a member with the name of a prototype': JSON.parse(`{"extra_body":{"__proto__":"${SECRET}"}}`),
  'the name of a file': {
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'eA==', filename: SECRET } }] }],
  },
  'a tool': { tools: [{ type: 'function', function: { name: 'f', description: SECRET } }] },
  'the schema of a tool': { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] },
  'a function': { functions: [{ name: 'f', description: SECRET }] },
  'the format of the answer': { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
  'a prediction': { prediction: { type: 'content', content: SECRET } },
  'a prediction in parts': { prediction: { type: 'content', content: [{ type: 'text', text: SECRET }] } },
  'an unknown field': { instructions: `Write to ${SECRET}` },
  'a type that is no type': { thinking: { type: SECRET } },
  extra_body: { extra_body: { messages: [{ role: 'user', content: SECRET }] } },
  extra_headers: { extra_headers: { 'x-note': SECRET } },
  metadata: { metadata: { id: SECRET } },
  user: { user: SECRET },
}

const FIXED: Record<string, object> = {
  'the id of a call': called({ id: SECRET, function: { name: 'f', arguments: '{}' } }),
  'the id of a result': { messages: [{ role: 'tool', content: 'x', tool_call_id: SECRET }] },
  'the name of a called function': called({ function: { name: SECRET, arguments: '{}' } }),
  'the name of an argument': called({ function: { name: 'f', arguments: `{"${SECRET}":1}` } }),
  'the name of a tool': { tools: [{ type: 'function', function: { name: SECRET } }] },
  'the name of a property': { tools: [{ function: { name: 'f', parameters: { properties: { [SECRET]: {} } } } }] },
  'the name of a member': { extra_body: { [SECRET]: true } },
  'what a provider has signed': answered({ provider_content: { type: 'x', blocks: [{ arguments: `["${SECRET}"]` }] } }),
}

test('redact_pii of a policy: no text reaches the provider, wherever it stands', async () => {
  for (const [place, fields] of Object.entries(REPLACED)) {
    const before = JSON.stringify(fields)
    const text = JSON.stringify(await run('redact_pii', fields))
    assert.ok(text.includes('[EMAIL_1]') && !text.includes('mail.example'), `${place} ${text}`)
    assert.equal(JSON.stringify(fields), before, place)
  }
})

test('redact_pii of a policy: what cannot be replaced is refused; a hook of the request leaves it', async () => {
  const own = hookTools().tools
  for (const [place, fields] of Object.entries(FIXED)) {
    await assert.rejects(run('redact_pii', fields), (error) => isBlocked(error, /cannot be replaced/), place)
    assert.ok(JSON.stringify(await run('redact_pii', fields, own)).includes(SECRET), place)
  }
})

test('block_patterns reads the same texts', async () => {
  for (const [place, fields] of Object.entries({ ...REPLACED, ...FIXED }))
    for (const params of [{ words: ['ada'] }, { patterns: ['a@mail'] }])
      await assert.rejects(run('block_patterns', params, undefined, fields), (error) => isBlocked(error, /0/), place)
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

/** Runs a hook as a policy does. Of `block_patterns`, the second argument has the parameters. */
async function run(action: string, given: object, tools: PreTools = ofPolicy(), more?: object): Promise<ChatRequest> {
  const request = { model: 'sandbox/echo', messages: [ASKED], ...(more ?? given) } as unknown as ChatRequest
  return await PRE_HOOKS[action]!.run(request, more ? given : {}, tools)
}

function ofPolicy(): PreTools {
  return { ...hookTools().tools, loc: ['policy', 'pre_hooks', 0, 'params'] }
}

function isBlocked(error: unknown, message: RegExp): boolean {
  return error instanceof Problem && error.code === 'content_blocked' && message.test(error.message)
}
