import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callHeaders, checkHeaders, decodedValue, headerValue } from './headers.ts'
import { MODERN_VERSION } from './versions.ts'

test('a value that a header cannot have is encoded, and reads as it was', () => {
  for (const value of [
    'plain',
    'a b',
    '',
    ' padded ',
    'line\nbreak',
    'Grüße',
    '世界',
    '=?base64?eA==?=',
    '\u0000',
    '\ufeffx',
  ])
    assert.equal(decodedValue(headerValue(value)), value)
  assert.equal(headerValue('ocr.invoice-1'), 'ocr.invoice-1')
  assert.match(headerValue('Grüße'), /^=\?base64\?[A-Za-z0-9+/=]+\?=$/)
})

test('a value that only looks encoded is not read', () => {
  for (const value of ['=?base64?x?=', '=?base64?====?=', '=?base64?/w==?=', '=?base64?e A==?='])
    assert.equal(decodedValue(value), undefined, value)
})

test('the headers of a client pass the check of a server', () => {
  for (const params of [{ name: 'chat' }, { name: 'größe' }, { uri: 'file:///ä b' }, { taskId: 'abc' }])
    for (const method of ['tools/call', 'resources/read', 'tasks/get', 'prompts/get', 'tools/list'])
      checkHeaders(callHeaders(MODERN_VERSION, { method, params }), MODERN_VERSION, { method, params })
})

test('a method that is named like a member of every object has no name', () => {
  const call = { method: 'constructor', params: { name: 'x' } }
  assert.deepEqual(Object.keys(callHeaders(MODERN_VERSION, call)), ['mcp-protocol-version', 'mcp-method'])
})
