import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { type EnginePool, openEnginePool, type PoolOptions } from './engine-pool.ts'

const FOREVER = new AbortController().signal
const WORKER = new URL('./fixtures/moody-worker.ts', import.meta.url)

/** Enough for a thread to start; what stands outside of the heap is next to nothing in a thread that only answers. */
const STRICT: PoolOptions = { worker: WORKER, threads: 1, queueLimit: 1, limitMs: 2_000, bufferLimit: 50_000_000 }

describe('the pool of engines', () => {
  // One pool for all that can share it: to start a thread takes longer than any of these tests.
  const pool = openEnginePool(STRICT)
  const say = speaker(pool)
  after(() => pool.close())

  test('a thread that breaks fails one piece, and the next gets a new thread', async () => {
    const first = await say('a')
    const [broken, after] = await Promise.allSettled([say('throw'), say('b')])
    assert.deepEqual(codeOf(broken), ['context_length', 'engine_crashed'])
    assert.equal(after.status, 'fulfilled')
    assert.notEqual((after as PromiseFulfilledResult<unknown>).value, first)
    assert.deepEqual(codeOf((await Promise.allSettled([say('exit')]))[0]), ['context_length', 'engine_crashed'])
    assert.equal(typeof (await say('c')), 'number')
  })

  test('a package that is not there is named with a 424, and its engine used again', async () => {
    const first = await say('a')
    await assert.rejects(say('missing'), (error) => {
      assert.ok(error instanceof Problem)
      assert.match(error.message, /'a-package'/)
      return error.status === 424
    })
    assert.equal(await say('b'), first)
  })

  test('any other fault is the input’s, and the engine is not trusted again', async () => {
    const first = await say('a')
    assert.deepEqual(codeOf((await Promise.allSettled([say('fail')]))[0]), ['context_length', 'engine_failed'])
    assert.notEqual(await say('b'), first)
  })

  test('a piece that never ends is ended, and those behind it are served', async () => {
    const [late, after] = await Promise.allSettled([say('hang'), say('b')])
    assert.deepEqual(codeOf(late), ['context_length', 'engine_time_limit'])
    assert.equal(after.status, 'fulfilled')
  })

  test('a piece that takes up ever more memory is ended while it is at work', async () => {
    const [greedy, after] = await Promise.allSettled([say('grow'), say('b')])
    assert.deepEqual(codeOf(greedy), ['context_length', 'engine_memory_limit'])
    assert.equal(after.status, 'fulfilled')
  })

  test('the queue has an end, and who leaves is not served', async () => {
    const [running, waiting] = [new AbortController(), new AbortController()]
    const ends = [say('wait', running.signal), say('a', waiting.signal)] as const
    const refused = await say('b').catch((error: unknown) => error)
    assert.ok(refused instanceof UpstreamProblem && refused.kind === 'rate_limited' && refused.retryAfterSeconds)
    waiting.abort(new Error('second left'))
    await assert.rejects(ends[1], /second left/)
    const next = say('c')
    running.abort(new Error('first left'))
    await assert.rejects(ends[0], /first left/)
    assert.equal(typeof (await next), 'number')
    await assert.rejects(say('a', running.signal), /first left/)
  })
})

test('a pool has two threads and no more, and uses them again; closed, it lets go of everybody', async () => {
  const pool = openEnginePool({ worker: WORKER })
  const say = speaker(pool)
  const seen = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => say(text)))
  assert.equal(new Set(seen).size, 2)
  const ends = Promise.allSettled([say('wait'), say('wait'), say('a')])
  await pool.close()
  for (const end of await ends) assert.equal(codeOf(end)[0], 'rate_limited')
  await assert.rejects(say('a'))
})

function speaker(pool: EnginePool) {
  return (text: string, signal = FOREVER): Promise<unknown> => pool.run('language', { text }, signal)
}

function codeOf(end: PromiseSettledResult<unknown>) {
  assert.ok(end.status === 'rejected')
  const { kind, code } = end.reason as UpstreamProblem
  return [kind, code]
}
