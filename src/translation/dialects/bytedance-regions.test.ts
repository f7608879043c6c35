import assert from 'node:assert/strict'
import { test } from 'node:test'
import { regionalModel } from './bytedance-regions.ts'

const CHINA = 'https://ark.cn-beijing.volces.com/api/v3'
const ELSEWHERE = 'https://ark.ap-southeast.bytepluses.com/api/v3'

test('a model has the name of the region whose host is asked', () => {
  for (const name of ['seedance-1-5-pro-251215', 'seedream-4-5-251128', 'seed-1-6-250615']) {
    assert.deepEqual(
      [name, `doubao-${name}`].map((one) => [regionalModel(one, CHINA), regionalModel(one, ELSEWHERE)]),
      [
        [`doubao-${name}`, name],
        [`doubao-${name}`, name],
      ],
    )
  }
})

test('endpoints and models of others keep their names', () => {
  for (const name of ['ep-20250101-abc', 'deepseek-v3-250324', 'kimi-k2'])
    assert.deepEqual([regionalModel(name, CHINA), regionalModel(name, ELSEWHERE)], [name, name])
})
