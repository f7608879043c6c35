import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTraceId } from '../../platform/telemetry/trace-ids.ts'
import { openSampler } from './sampler.ts'

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', state: null }
const [SAMPLED, NOT] = [
  { ...PARENT, isSampled: true },
  { ...PARENT, isSampled: false },
]

test('a parent decides, if the sampler is based on it', () => {
  const off = openSampler({ ratio: 0, isParentBased: true })
  const on = openSampler({ ratio: 1, isParentBased: true })
  assert.deepEqual([off.samples(PARENT.traceId, SAMPLED), off.samples(PARENT.traceId, NOT)], [true, false])
  assert.deepEqual([on.samples(PARENT.traceId, SAMPLED), on.samples(PARENT.traceId, NOT)], [true, false])
  assert.deepEqual([off.samples(PARENT.traceId, undefined), on.samples(PARENT.traceId, undefined)], [false, true])
})

test('without the parent, everything or nothing is kept', () => {
  assert.equal(openSampler({ ratio: 1, isParentBased: false }).samples(PARENT.traceId, NOT), true)
  assert.equal(openSampler({ ratio: 0, isParentBased: false }).samples(PARENT.traceId, SAMPLED), false)
})

test('a ratio keeps about that share, and every process decides alike', () => {
  const [one, other] = [0, 1].map(() => openSampler({ ratio: 0.25, isParentBased: true })) as [Sampler, Sampler]
  const ids = Array.from({ length: 4_000 }, newTraceId)
  const kept = ids.filter((id) => one.samples(id, undefined))
  assert.ok(kept.length > 800 && kept.length < 1_200, String(kept.length))
  assert.ok(kept.every((id) => other.samples(id, undefined)))
})

test('problems are kept at any ratio above zero, and not with a ratio of zero', () => {
  assert.equal(openSampler({ ratio: 0.001, isParentBased: true }).keepsProblems, true)
  assert.equal(openSampler({ ratio: 0, isParentBased: true }).keepsProblems, false)
})

type Sampler = ReturnType<typeof openSampler>
