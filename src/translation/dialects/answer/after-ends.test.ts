import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AfterEnds } from './after-ends.ts'

test('the end of one answer says nothing about another that went on after its own', () => {
  const ends = new AfterEnds()
  const text = (index: number) => ({ index, delta: { content: 'more' }, finish_reason: null })
  const end = (index: number) => ({ index, delta: {}, finish_reason: 'stop' as const })
  ends.note(text(0))
  assert.deepEqual([ends.hasEnds, ends.hasMore], [false, false])
  ends.note(end(0))
  ends.note(text(0))
  ends.note(end(1))
  assert.deepEqual([ends.hasEnds, ends.hasMore], [true, true])
  ends.note(end(0))
  assert.equal(ends.hasMore, false)
})
