import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from './type.ts'
import { ChatRequest } from '../../contract/chat.ts'
import { jsonInvalid } from './issue-messages.ts'
import { DeleteFilesRequest } from '../../contract/files.ts'
import { ImageEditRequest, ImageGenerationRequest } from '../../contract/images.ts'
import { CreateKeyRequest } from '../../contract/admin/keys.ts'
import { CountTokensRequest } from '../../contract/tokens.ts'
import { validator } from './validator.ts'

const messages = [{ role: 'user', content: 'hi' }]
const SOME_ID = '00000000-0000-4000-8000-000000000000'

const valid = {
  chat: { model: 'sandbox/echo', messages },
  image: { model: 'sandbox/image', prompt: 'a gate' },
  edit: { model: 'sandbox/image', prompt: 'a gate', images: [{ file_id: SOME_ID }] },
  count: { model: 'anthropic/claude', messages },
  deletion: { file_ids: [] },
  key: { name: 'laptop' },
}
const validators = {
  chat: validator(ChatRequest),
  image: validator(ImageGenerationRequest),
  edit: validator(ImageEditRequest),
  count: validator(CountTokensRequest),
  deletion: validator(DeleteFilesRequest),
  key: validator(CreateKeyRequest),
}
type Kind = keyof typeof valid

test('the vocabulary: type, message and path', () => {
  const rows: [Kind, object, (string | number)[], string, string][] = [
    ['chat', { user: 5 }, ['user'], 'string_type', 'Input should be a valid string'],
    ['chat', { seed: '5' }, ['seed'], 'int_type', 'Input should be a valid integer'],
    ['chat', { seed: true }, ['seed'], 'int_type', 'Input should be a valid integer'],
    ['chat', { temperature: '0.5' }, ['temperature'], 'float_type', 'Input should be a valid number'],
    ['chat', { stream: 1 }, ['stream'], 'bool_type', 'Input should be a valid boolean'],
    ['chat', { tools: {} }, ['tools'], 'list_type', 'Input should be a valid list'],
    ['chat', { metadata: [] }, ['metadata'], 'dict_type', 'Input should be a valid dictionary'],
    ['chat', { tools: [5] }, ['tools', 0], 'dict_type', 'Input should be a valid dictionary'],
    ['chat', { logit_bias: { 5: 'x' } }, ['logit_bias', '5'], 'float_type', 'Input should be a valid number'],
    ['chat', { extra_headers: { a: 1 } }, ['extra_headers', 'a'], 'string_type', 'Input should be a valid string'],
    [
      'chat',
      { n: 1.5 },
      ['n'],
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    ],
    ['chat', { n: 0 }, ['n'], 'greater_than_equal', 'Input should be greater than or equal to 1'],
    ['chat', { temperature: 3 }, ['temperature'], 'less_than_equal', 'Input should be less than or equal to 2'],
    ['chat', { verbosity: 'loud' }, ['verbosity'], 'literal_error', "Input should be 'low', 'medium' or 'high'"],
    [
      'chat',
      { tool_choice: 'x' },
      ['tool_choice'],
      'literal_error',
      "Input should be 'auto', 'required', 'none' or 'any'",
    ],
    ['chat', { stop: 5 }, ['stop'], 'list_type', 'Input should be a valid list'],
    ['chat', { stop: ['a', 5] }, ['stop', 1], 'string_type', 'Input should be a valid string'],
    ['chat', { pre_hooks: [{}] }, ['pre_hooks', 0, 'action'], 'missing', 'Field required'],
    [
      'chat',
      { post_hooks: [{ action: 'a', params: 'b' }] },
      ['post_hooks', 0, 'params'],
      'dict_type',
      'Input should be a valid dictionary',
    ],
    ['chat', { messages: [{ content: 'x' }] }, ['messages', 0, 'role'], 'missing', 'Field required'],
    [
      'chat',
      { messages: [{ role: 'user', content: 5 }] },
      ['messages', 0, 'content'],
      'string_type',
      'Input should be a valid string',
    ],
    [
      'chat',
      { fallbacks: ['a', 'b', 'c', 'd'] },
      ['fallbacks'],
      'too_long',
      'List should have at most 3 items after validation, not 4',
    ],
    ['edit', { images: [] }, ['images'], 'too_short', 'List should have at least 1 item after validation, not 0'],
    ['image', { prompt: '' }, ['prompt'], 'string_too_short', 'String should have at least 1 character'],
    [
      'image',
      { prompt: 'x'.repeat(32_001) },
      ['prompt'],
      'string_too_long',
      'String should have at most 32000 characters',
    ],
    ['image', { response_format: 'png' }, ['response_format'], 'literal_error', "Input should be 'url' or 'b64_json'"],
    [
      'chat',
      { image_config: { aspect_ratio: '1:1', size: '1K' } },
      ['image_config', 'size'],
      'extra_forbidden',
      'Extra inputs are not permitted',
    ],
    [
      'edit',
      { images: [{ image_url: 'http://example.com/a.png' }] },
      ['images', 0, 'image_url'],
      'url_parsing',
      'Input should be a URL that starts with https:// or data:image/',
    ],
    ['edit', { mask: {} }, ['mask'], 'value_error', "Input should have 'file_id' or 'image_url'"],
    [
      'edit',
      { images: [{ file_id: SOME_ID, b: 1 }] },
      ['images', 0, 'b'],
      'extra_forbidden',
      'Extra inputs are not permitted',
    ],
    ['deletion', { file_ids: ['a'] }, ['file_ids', 0], 'uuid_parsing', 'Input should be a valid UUID'],
    [
      'key',
      { expires_at: 'tomorrow' },
      ['expires_at'],
      'value_error',
      'Input should be a date and time such as 2030-01-31T12:00:00Z',
    ],
    ['key', { expire_at: null }, ['expire_at'], 'extra_forbidden', 'Extra inputs are not permitted'],
    ['count', { messages: [{ role: 'user' }] }, ['messages', 0, 'content'], 'missing', 'Field required'],
  ]
  for (const [kind, change, place, type, msg] of rows) {
    const body = { ...valid[kind], ...change }
    assert.equal(validators[kind].check(body), false, JSON.stringify(change))
    assert.deepEqual(validators[kind].issues(body, ['body']), [{ loc: ['body', ...place], msg, type }])
  }
  assert.deepEqual(jsonInvalid(['body', 3]), { loc: ['body', 3], msg: 'JSON decode error', type: 'json_invalid' })
})

test('an issue of a part names the intended branch', () => {
  const known = "Input should be 'text', 'image_url', 'file', 'input_audio' or 'refusal'"
  const rows: [unknown, (string | number)[], string, string][] = [
    [{ type: 'video' }, ['type'], 'literal_error', known],
    [{ type: 5, text: 'x' }, ['type'], 'literal_error', known],
    [{ text: 'x' }, ['type'], 'missing', 'Field required'],
    ['x', [], 'dict_type', 'Input should be a valid dictionary'],
    [{ type: 'text' }, ['text'], 'missing', 'Field required'],
    [{ type: 'text', text: 5 }, ['text'], 'string_type', 'Input should be a valid string'],
    [{ type: 'image_url' }, ['image_url'], 'missing', 'Field required'],
    [{ type: 'image_url', image_url: {} }, ['image_url', 'url'], 'missing', 'Field required'],
    [{ type: 'image_url', image_url: 5 }, ['image_url'], 'dict_type', 'Input should be a valid dictionary'],
    [{ type: 'file', file: {} }, ['file'], 'value_error', "Input should have 'file_id' or 'file_data'"],
    [
      { type: 'file', file: { file_id: 'a', file_data: 'b' } },
      ['file'],
      'value_error',
      "Input should have only one of 'file_id' and 'file_data'",
    ],
    [{ type: 'file', file: { file_id: 5 } }, ['file', 'file_id'], 'string_type', 'Input should be a valid string'],
    [
      { type: 'text', text: 'x', cache_control: { type: 'forever' } },
      ['cache_control', 'type'],
      'literal_error',
      "Input should be 'ephemeral'",
    ],
    [
      { type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: 5 } },
      ['cache_control', 'ttl'],
      'string_type',
      'Input should be a valid string',
    ],
  ]
  for (const [part, place, type, msg] of rows) {
    const body = {
      ...valid.chat,
      messages: [...messages, { role: 'user', content: [{ type: 'text', text: '' }, part] }],
    }
    const loc = ['body', 'messages', 1, 'content', 1, ...place]
    assert.equal(validators.chat.check(body), false)
    assert.deepEqual(validators.chat.issues(body, ['body']), [{ loc, msg, type }])
  }
})

test('all issues are listed, not only the first', () => {
  const found = validators.chat.issues({ messages: [{ role: 'x' }, 5], n: 0, top_p: 2 }, ['body'])
  assert.deepEqual(
    found.map((issue) => issue.loc.join('.')),
    ['body.model', 'body.messages.0.role', 'body.messages.1', 'body.n', 'body.top_p'],
  )
})

test('a long list of issues is cut at 100', () => {
  const body = { ...valid.chat, messages: Array.from({ length: 50_000 }, () => ({ role: 'x', content: [{}, {}] })) }
  assert.equal(validators.chat.issues(body, ['body']).length, 100)
})

test('names of members that every object has are ordinary keys', () => {
  const body = JSON.parse(
    '{"model":"m","messages":[{"role":"user","content":"hi"}],"image_config":{"__proto__":{},"constructor":1}}',
  )
  assert.equal(validators.chat.check(body), false)
  assert.deepEqual(
    validators.chat.issues(body, ['body']).map((issue) => issue.loc.at(-1)),
    ['__proto__', 'constructor'],
  )
})

test('a keyword without a message is refused when the program starts', () => {
  assert.throws(() => validator(Type.Object({ a: Type.Number({ multipleOf: 2 }) })), /'multipleOf' at #\/a/)
  assert.throws(() => validator(Type.Array(Type.String({ pattern: '^a' }))), /string at #\/items/)
  assert.throws(() => validator(Type.Object({}, { oneOf: [{ required: ['a', 'b'] }] })), /oneOf at #/)
})
