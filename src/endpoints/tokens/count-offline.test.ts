import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { countOffline } from './count-offline.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const NEVER = new AbortController().signal
const MODEL = 'gpt-4o'

test('many texts of one owner do not keep a text of another waiting', async () => {
  let ended = 0
  const many = Array.from({ length: 60 }, (_, index) =>
    count('a', `${index} ${'some words to count. '.repeat(1_000)}`).then((tokens) => {
      ended++
      return tokens
    }),
  )
  assert.ok((await count('b', 'short')) > 0)
  assert.ok(ended < 30, `${ended} of 60 came first`)
  assert.equal(new Set(await Promise.all(many)).size > 0, true)
})

test('an owner with too much waiting is asked to try again, and another one is not', async () => {
  const long = 'x'.repeat(30_000_000)
  const leaving = new AbortController()
  const waiting = [0, 1].map(() => count('a', long, leaving.signal).catch((error: Error) => error.message))
  await assert.rejects(count('a', long), { code: 'overloaded' })
  assert.ok((await count('b', 'short')) > 0)
  leaving.abort(new Error('left'))
  assert.deepEqual(await Promise.all(waiting), ['left', 'left'])
})

test('the worker ends when there is nothing to count for a while, and another one counts the next text', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const workers: Worker[] = []
  const collect = (worker: Worker) => workers.push(worker)
  process.on('worker', collect)
  t.after(() => process.off('worker', collect))
  const before = await count('a', 'some words')
  t.mock.timers.tick(HOUR_MS)
  assert.equal(await count('a', 'some words'), before)
  assert.equal(workers.length, 1)
  const ended = once(workers[0]!, 'exit')
  t.mock.timers.tick(HOUR_MS)
  await ended
})

function count(owner: string, content: string, signal = NEVER): Promise<number> {
  const text = JSON.stringify({ model: MODEL, max_tokens: 1, messages: [{ role: 'user', content }] })
  return countOffline({ text, model: MODEL, owner }, signal)
}
