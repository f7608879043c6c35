import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Late } from './late.ts'

test('a part is undefined until it is open, and is opened once', async () => {
  const late = new Late<{ name: string }>()
  assert.equal(late.current, undefined)
  const first = await late.open(async () => ({ name: 'first' }))
  const again = await late.open(() => assert.fail('it is open'))
  assert.deepEqual([late.current, again], [first, first])
})

test('a part that could not be opened is opened by the next try', async () => {
  const late = new Late<string>()
  await assert.rejects(late.open(() => Promise.reject(new Error('away'))))
  assert.equal(late.current, undefined)
  assert.equal(await late.open(() => 'there'), 'there')
})
