import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rerankWorstCase } from './rerank-worst-case.ts'

const LONG = 'words '.repeat(1_000)
const DOCUMENTS = ['one', 'two', 'three']

test('fields that only the provider knows are read with every document', () => {
  const target = { entry: { price: { input: 1, output: 0 } } } as never
  const worst = (more: object) =>
    rerankWorstCase({ model: 'x', query: 'a', documents: [], ...more }, DOCUMENTS, target).inputTokens
  assert.ok(worst({ instruction: LONG }) - worst({}) >= DOCUMENTS.length * LONG.length)
  assert.equal(worst({ user: LONG, metadata: { a: LONG } }), worst({}))
})

test('a long instruction leaves less room for a document in a search', () => {
  const target = { entry: { per: { search: 1 } } } as never
  const documents = Array.from({ length: 100 }, () => 'x'.repeat(400))
  const worst = (more: object) =>
    rerankWorstCase({ model: 'x', query: 'a', documents: [], ...more }, documents, target).usd
  assert.ok(worst({ instruction: LONG })! > worst({})!)
})
