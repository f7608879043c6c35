import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planMemory } from './memory-plan.ts'
import { MB } from '../base/units/units.ts'

test('all parts together leave the program a share of the limit, whatever the limit is', () => {
  for (const limitMb of [512, 1024, 2048, 8192, 65_536]) {
    const limitBytes = limitMb * MB
    const { heapBytes, requestBytes, engines, tokenCounterBytes, cacheBytes } = planMemory({
      limitBytes,
      heapBytes: 4096 * MB,
    })
    const sum = heapBytes + requestBytes + engines.threads * engines.threadBytes + tokenCounterBytes + cacheBytes
    assert.ok(sum < 0.93 * limitBytes, `${limitMb}: ${sum / MB}`)
  }
})

test('a smaller heap of V8 means less for requests, and nothing else', () => {
  const [plain, small] = [4096, 112].map((heapMb) => planMemory({ limitBytes: 1024 * MB, heapBytes: heapMb * MB }))
  assert.equal(small!.requestBytes, 56 * MB)
  assert.deepEqual({ ...small, heapBytes: 0, requestBytes: 0 }, { ...plain, heapBytes: 0, requestBytes: 0 })
})

test('little memory means two engines, much means three of at most a gigabyte', () => {
  const enginesOf = (limitMb: number) => planMemory({ limitBytes: limitMb * MB, heapBytes: 4096 * MB }).engines
  assert.equal(enginesOf(1024).threads, 2)
  assert.deepEqual(enginesOf(65_536), { threads: 3, threadBytes: 1024 * MB })
})
