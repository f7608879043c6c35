import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOf } from './answer-start.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('the first kilobyte is kept, and no more is read', async () => {
  let read = 0
  async function* body() {
    for (;;) {
      read++
      yield bytes('x'.repeat(600))
    }
  }
  assert.equal(await startOf(body()), 'x'.repeat(1_024))
  assert.equal(read, 2)
})

test('an answer that breaks off or never goes on has what came before', async () => {
  async function* broken() {
    yield bytes('half ')
    throw new Error('reset')
  }
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
  assert.equal(await startOf(broken()), 'half ')
  assert.equal(await startOf(silent, 1), '')
})
