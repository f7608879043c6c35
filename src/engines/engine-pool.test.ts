import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { Problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { type EnginePool, openEnginePool, type PoolOptions } from './engine-pool.ts'

const FOREVER = new AbortController().signal
const WORKER = new URL('./fixtures/moody-worker.ts', import.meta.url)

describe('the pool of engines', () => {
  let pool: EnginePool
  afterEach(() => pool.close())

  test('has two threads and no more, and uses them again', async () => {
    open()
    const seen = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => say(text)))
    assert.equal(new Set(seen).size, 2)
  })

  test('a thread that breaks fails one piece, and the next gets a new thread', async () => {
    open({ threads: 1 })
    const first = await say('a')
    const [broken, after] = await Promise.allSettled([say('throw'), say('b')])
    assert.deepEqual(codeOf(broken), ['context_length', 'engine_crashed'])
    assert.equal(after.status, 'fulfilled')
    assert.notEqual((after as PromiseFulfilledResult<unknown>).value, first)
    assert.deepEqual(codeOf((await Promise.allSettled([say('exit')]))[0]), ['context_length', 'engine_crashed'])
    assert.equal(typeof (await say('c')), 'number')
  })

  test('a piece that never ends is ended, and those behind it are served', async () => {
    open({ threads: 1, limitMs: 1_500 })
    await say('a')
    const [late, after] = await Promise.allSettled([say('hang'), say('b')])
    assert.deepEqual(codeOf(late), ['context_length', 'engine_time_limit'])
    assert.equal(after.status, 'fulfilled')
  })

  test('a piece that takes up ever more memory is ended while it is at work', async () => {
    open({ threads: 1, bufferLimit: 50_000_000 })
    const [greedy, after] = await Promise.allSettled([say('grow'), say('b')])
    assert.deepEqual(codeOf(greedy), ['context_length', 'engine_memory_limit'])
    assert.equal(after.status, 'fulfilled')
  })

  test('the queue has an end', async () => {
    open({ threads: 1, queueLimit: 1 })
    const leaving = new AbortController()
    const [running, waiting] = [say('wait', leaving.signal), say('a')]
    const refused = await say('b').catch((error: unknown) => error)
    assert.ok(refused instanceof UpstreamProblem && refused.kind === 'rate_limited' && refused.retryAfterSeconds)
    leaving.abort(new Error('left'))
    await assert.rejects(running, /left/)
    assert.equal(typeof (await waiting), 'number')
  })

  test('who leaves while waiting is not served, and who has left is not let in', async () => {
    open({ threads: 1 })
    const [first, second] = [new AbortController(), new AbortController()]
    const running = say('wait', first.signal)
    const waiting = say('a', second.signal)
    second.abort(new Error('second left'))
    await assert.rejects(waiting, /second left/)
    first.abort(new Error('first left'))
    await assert.rejects(running, /first left/)
    await assert.rejects(say('a', first.signal), /first left/)
  })

  test('a package that is not there is named with a 424; any other fault is the input’s', async () => {
    open()
    await assert.rejects(say('missing'), (error) => {
      assert.ok(error instanceof Problem)
      assert.match(error.message, /'a-package'/)
      return error.status === 424
    })
    assert.deepEqual(codeOf((await Promise.allSettled([say('fail')]))[0]), ['context_length', 'engine_failed'])
  })

  test('an engine that failed is not trusted again', async () => {
    open({ threads: 1 })
    const first = await say('a')
    await assert.rejects(say('missing'))
    assert.equal(await say('b'), first)
    await assert.rejects(say('fail'))
    assert.notEqual(await say('c'), first)
  })

  test('closed, it lets go of everybody', async () => {
    open({ threads: 1 })
    const ends = Promise.allSettled([say('wait'), say('a')])
    await pool.close()
    for (const end of await ends) assert.equal(codeOf(end)[0], 'rate_limited')
    await assert.rejects(say('a'))
  })

  function open(options: PoolOptions = {}) {
    pool = openEnginePool({ worker: WORKER, ...options })
  }

  function say(text: string, signal = FOREVER): Promise<unknown> {
    return pool.run('language', { text }, signal)
  }
})

function codeOf(end: PromiseSettledResult<unknown>) {
  assert.ok(end.status === 'rejected')
  const { kind, code } = end.reason as UpstreamProblem
  return [kind, code]
}
