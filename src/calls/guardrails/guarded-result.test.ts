import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Guards } from './guards.ts'
import { guardedResult } from './guarded-result.ts'

test('texts of a result are replaced, and bytes are neither read nor lost', async () => {
  const read: unknown[] = []
  const unread: string[] = []
  const guards: Pick<Guards, 'json' | 'unscanned'> = {
    json: async (value) => {
      read.push(value)
      return JSON.parse(JSON.stringify(value).replaceAll('falcon', 'bird'))
    },
    unscanned: (what) => unread.push(what),
  }
  const image = { type: 'image', data: 'falcon', mimeType: 'image/png' }
  const file = { type: 'resource', resource: { uri: 'file:///falcon', blob: 'falcon' } }
  const result = { content: [{ type: 'text', text: 'a falcon' }, image, file], structuredContent: { of: 'falcon' } }
  assert.deepEqual(await guardedResult(result, guards), {
    content: [{ type: 'text', text: 'a bird' }, image, { ...file, resource: { uri: 'file:///bird', blob: 'falcon' } }],
    structuredContent: { of: 'bird' },
  })
  assert.ok(!JSON.stringify(read).includes('"data"') && !JSON.stringify(read).includes('"blob"'))
  assert.deepEqual(unread, ['file'])
  assert.deepEqual(await guardedResult({ structuredContent: {} }, guards), { structuredContent: {} })
})
