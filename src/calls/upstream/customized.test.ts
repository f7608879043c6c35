import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmbeddingsRequest } from '../../contract/embeddings.ts'
import { UniversalRequest } from '../../contract/universal.ts'
import { isCustomized, isCustomizedChat } from './customized.ts'

const PLAIN = { model: 'a/b', messages: [], temperature: 1, tools: [{ anything: 1 }], metadata: { any: 'thing' } }

const CHATS: [object, boolean][] = [
  [{}, false],
  [{ extra_headers: null, extra_body: null, unknown: null }, false],
  [{ extra_headers: {}, extra_body: {} }, false],
  [{ extra_headers: { 'x-any': 'thing' } }, true],
  [{ extra_body: { any: 'thing' } }, true],
  [{ unknown: false }, true],
  [{ service_tier: 'auto' }, false],
  [{ service_tier: 'flex' }, true],
]

for (const [more, expected] of CHATS)
  test(`a chat with ${JSON.stringify(more)} ${expected ? 'has' : 'has no'} fields of the caller’s own`, () => {
    assert.equal(isCustomizedChat({ request: { ...PLAIN, ...more } as never }), expected)
  })

const BODY = { model: 'a/b', messages: [], max_tokens: 5 }
const MESSAGES: [object, boolean][] = [
  [{ body: BODY }, false],
  [{ body: BODY, headers: { 'anthropic-version': '2023-06-01' } }, false],
  [{ body: BODY, headers: { 'anthropic-version': 'of-tomorrow' } }, true],
  [{ body: BODY, headers: { 'anthropic-beta': 'anything' } }, true],
  [{ body: { ...BODY, unknown: 1 } }, true],
]

for (const [native, expected] of MESSAGES)
  test(`messages ${JSON.stringify(native)} ${expected ? 'have' : 'have no'} fields of the caller’s own`, () => {
    assert.equal(
      isCustomizedChat({ request: PLAIN as never, native: { format: 'messages', ...native } as never }),
      expected,
    )
  })

test('other endpoints are judged by their own fields', () => {
  assert.equal(isCustomized({ model: 'a/b', input: 'x', dimensions: 2 }, EmbeddingsRequest), false)
  assert.equal(isCustomized({ model: 'a/b', input: 'x', truncate: 'END' }, EmbeddingsRequest), true)
  assert.equal(isCustomized({ provider_params: {} }, UniversalRequest), false)
  assert.equal(isCustomized({ provider_params: { any: 'thing' } }, UniversalRequest), true)
})
