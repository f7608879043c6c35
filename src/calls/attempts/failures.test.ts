import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProviders } from '../../platform/config/provider-settings.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { toProblem } from './failures.ts'

const { minimax } = readProviders({}, { MINIMAX_API_KEY: 'key-of-test' })
const target = { id: 'minimax/MiniMax-M2', provider: minimax! }

for (const [status, reported] of [
  [422, 422],
  [200, 400],
  [500, 400],
] as const)
  test(`a refusal that came with ${status} is told with ${reported}`, () => {
    const failure = new UpstreamProblem('content_policy', 'sensitive: key-of-test', { status, code: '1026' })
    const problem = toProblem(failure, target, [])
    assert.deepEqual([problem.status, problem.message], [reported, 'sensitive: [redacted]'])
  })
