import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSpanId, newTraceId } from './trace-ids.ts'

test('ids have the digits of their kind, and none comes twice', () => {
  const spans = Array.from({ length: 1_000 }, newSpanId)
  const traces = Array.from({ length: 1_000 }, newTraceId)
  assert.ok(spans.every((id) => /^[0-9a-f]{16}$/.test(id)))
  assert.ok(traces.every((id) => /^[0-9a-f]{32}$/.test(id)))
  assert.equal(new Set([...spans, ...traces.flatMap((id) => [id.slice(0, 16), id.slice(16)])]).size, 3_000)
})
