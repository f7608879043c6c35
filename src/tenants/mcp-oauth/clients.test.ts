import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDocumentId } from './clients.ts'

test('the document of a program comes over https, or from this machine', () => {
  for (const id of ['https://app.example/mcp.json', 'http://127.0.0.1:8080/mcp.json', 'http://localhost/mcp.json'])
    assert.equal(isDocumentId(id), true, id)
  const others = [
    'http://app.example/mcp.json',
    'https://app.example/',
    'https://app.example/a#b',
    'ftp://app.example/a',
  ]
  for (const id of [...others, 'https://u:p@app.example/a', 'https://app.example/a/../b', 'sealed'])
    assert.equal(isDocumentId(id), false, id)
})
