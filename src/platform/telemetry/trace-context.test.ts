import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceContext, writeTraceparent } from './trace-context.ts'
import { newSpanId, newTraceId } from './trace-ids.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('a valid traceparent is read, with its flag and its state', () => {
  const sampled = readTraceContext(`00-${TRACE}-${SPAN}-01`, 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7')
  assert.deepEqual(sampled, {
    traceId: TRACE,
    spanId: SPAN,
    isSampled: true,
    state: 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7',
  })
  assert.equal(readTraceContext(`00-${TRACE}-${SPAN}-00`)?.isSampled, false)
  assert.equal(readTraceContext(`00-${TRACE}-${SPAN}-03`)?.isSampled, true)
})

test('a later version is read as far as this one goes', () => {
  assert.equal(readTraceContext(`cc-${TRACE}-${SPAN}-01-what-comes-next`)?.traceId, TRACE)
  assert.equal(readTraceContext(`cc-${TRACE}-${SPAN}-01`)?.spanId, SPAN)
  assert.equal(readTraceContext(`cc-${TRACE}-${SPAN}-01.other`), undefined)
})

test('what is not valid is ignored', () => {
  const invalid = [
    ...[undefined, '', 'nonsense', `00-${TRACE}-${SPAN}`, `00-${TRACE}-${SPAN}-1`, `ff-${TRACE}-${SPAN}-01`],
    ...[`00-${TRACE.toUpperCase()}-${SPAN}-01`, `00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`],
    ...[`00-${TRACE}-${SPAN}-01-more`, ` 00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ...[`00-${TRACE}x-${SPAN}-01`, `00-${TRACE}-${SPAN}-0g`, `00-${TRACE}-${SPAN}-01\n`, [`00-${TRACE}-${SPAN}-01`]],
  ]
  for (const header of invalid) assert.equal(readTraceContext(header), undefined, String(header))
})

test('a state that is too long or not printable is left out', () => {
  for (const state of ['x'.repeat(513), 'a=\u0000', 'a=\r\nb', 'a=é', ''])
    assert.equal(readTraceContext(`00-${TRACE}-${SPAN}-01`, state)?.state, null)
})

test('what is written can be read again, and new ids are valid and differ', () => {
  const ids = Array.from({ length: 2_000 }, () => ({ traceId: newTraceId(), spanId: newSpanId(), isSampled: true }))
  for (const id of ids) assert.deepEqual(readTraceContext(writeTraceparent(id)), { ...id, state: null })
  assert.equal(new Set(ids.map(({ traceId }) => traceId)).size, ids.length)
  assert.equal(new Set(ids.map(({ spanId }) => spanId)).size, ids.length)
})
