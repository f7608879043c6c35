import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { type EnginePool, openEnginePool, type PoolOptions } from './engine-pool.ts'
import { isLong } from './engine-thread.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const FOREVER = new AbortController().signal
const WORKER = new URL('../fixtures/moody-worker.ts', import.meta.url)

const LONG_MS = 600_000
const SHORT_MS = 50

describe('the pool of engines', () => {
  // One pool for all that can share it: to start a thread takes longer than any of these tests.
  // What stands outside of the heap is next to nothing in a thread that only answers.
  const options: PoolOptions = { worker: WORKER, threads: 2, queueLimit: 1, limitMs: LONG_MS, threadBytes: 150_000_000 }
  const pool = openEnginePool(options)
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

  test('a piece that does not fit beside what earlier ones have loaded gets a new thread', async () => {
    const first = await say('a')
    const second = await say('full')
    assert.ok(typeof second === 'number' && second !== first)
  })

  test('any other fault is the input’s, and the engine is not trusted again', async () => {
    const first = await say('a')
    assert.deepEqual(codeOf((await Promise.allSettled([say('fail')]))[0]), ['context_length', 'engine_failed'])
    assert.notEqual(await say('b'), first)
  })

  test('a piece that never ends is ended, and those behind it are served', async () => {
    // A piece that begins at once, because a thread is there, has the limit of this moment; the one behind it does not.
    await say('a')
    options.limitMs = SHORT_MS
    const hanging = say('hang')
    options.limitMs = LONG_MS
    const [late, after] = await Promise.allSettled([hanging, say('b')])
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

test('a thread that cannot be started fails its piece, and its place is free again', async () => {
  const pool = openEnginePool({ worker: new URL('http://localhost/worker.ts'), threads: 2, queueLimit: 2 })
  const say = speaker(pool)
  for (const end of await Promise.allSettled([say('a'), say('b')])) assert.equal(end.status, 'rejected')
  await assert.rejects(say('c'), { code: 'ERR_INVALID_URL_SCHEME' })
  await pool.close()
})

test('what no thread can be handed fails alone, and the next piece gets a thread', async () => {
  const pool = openEnginePool({ worker: WORKER, threads: 2 })
  const unclonable = { text: () => 'no text' } as never
  await assert.rejects(pool.run('language', unclonable, FOREVER, 'a'), { name: 'DataCloneError' })
  assert.equal(typeof (await speaker(pool)('b')), 'number')
  await pool.close()
})

test('only engines that may take longer than most are long', () => {
  const long = ['image', 'scan', 'pdf', 'speech', 'embeddings'] as const
  const short = ['language', 'json_heal', 'block_patterns', 'redact_pii'] as const
  assert.deepEqual([...long, ...short].filter(isLong), long)
})

describe('a pool that several owners use', () => {
  const PATIENT: PoolOptions = { worker: WORKER, queueLimit: 3, limitMs: LONG_MS }

  test('a short piece of another owner ends while long ones go on, and before short ones that came earlier', async () => {
    const pool = openEnginePool(PATIENT)
    const ended: string[] = []
    const run = async (owner: string, name: 'pdf' | 'language', text: string) => {
      await pool.run(name as 'language', { text }, FOREVER, owner)
      ended.push(owner)
    }
    const long = [run('a', 'pdf', 'wait'), run('a', 'pdf', 'wait')].map((one) => one.catch(() => 'cut off'))
    const short = [run('a', 'language', '1'), run('a', 'language', '2')].map((one) => one.catch(() => 'cut off'))
    await run('b', 'language', 'small')
    await run('c', 'language', 'small')
    assert.deepEqual(ended, ['b', 'c'])
    await pool.close()
    assert.deepEqual(await Promise.all([...long, ...short]), Array(4).fill('cut off'))
  })

  test('owners take turns, however much one of them has waiting', async () => {
    const pool = openEnginePool({ ...PATIENT, threads: 2 })
    const order: string[] = []
    // Of the two threads one stays held, so that what ends first was begun first.
    const leaving = new AbortController()
    const held = pool.run('language', { text: 'wait' }, FOREVER, 'x').catch(() => 'cut off')
    const left = pool.run('language', { text: 'wait' }, leaving.signal, 'y').catch(() => 'left')
    const all = ['a', 'a', 'a', 'b', 'c', 'b'].map(async (owner) => {
      await pool.run('language', { text: 'go' }, FOREVER, owner)
      order.push(owner)
    })
    leaving.abort()
    await Promise.all([left, ...all])
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
    await pool.close()
    assert.equal(await held, 'cut off')
  })

  test('the queue of one owner is not that of another', async () => {
    const pool = openEnginePool(PATIENT)
    const waiting = Array.from({ length: 5 }, () => pool.run('language', { text: 'wait' }, FOREVER, 'a'))
    const ends = Promise.allSettled(waiting)
    await assert.rejects(pool.run('language', { text: 'more' }, FOREVER, 'a'), { kind: 'rate_limited' })
    assert.equal(typeof (await pool.run('language', { text: 'b' }, FOREVER, 'b')), 'number')
    await pool.close()
    await ends
  })

  test('short pieces of an owner come before its second long one', async () => {
    const pool = openEnginePool(PATIENT)
    const leaving = new AbortController()
    const first = [pool.run('pdf', PAGE, FOREVER, 'a'), pool.run('language', { text: 'wait' }, leaving.signal, 'a')]
    const second = pool.run('pdf', PAGE, FOREVER, 'a')
    const ends = Promise.allSettled([...first, second])
    const short = pool.run('language', { text: 'short' }, FOREVER, 'a')
    leaving.abort(new Error('left'))
    assert.equal(typeof (await short), 'number')
    await pool.close()
    await ends
  })

  test('without tasks for a while, no thread is kept', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const pool = openEnginePool(PATIENT)
    const say = speaker(pool)
    const first = await say('a')
    assert.equal(await say('b'), first)
    t.mock.timers.tick(HOUR_MS)
    assert.notEqual(await say('c'), first)
    await pool.close()
  })

  test('a thread that one owner alone does not need is not kept', async () => {
    const pool = openEnginePool({ ...PATIENT, threads: 2, spareThreadMs: 1 })
    const say = speaker(pool)
    const both = await Promise.all([say('a', FOREVER, 'a'), say('b', FOREVER, 'b')])
    assert.equal(new Set(both).size, 2)
    let seen = new Set<unknown>()
    // Whichever was retired, the pool comes to the one thread that is left, and stays there.
    do seen = new Set([await say('a'), await say('a'), await new Promise(setImmediate)].slice(0, 2))
    while (seen.size > 1)
    assert.equal(seen.size, 1)
    await pool.close()
  })
})

/** The worker of the tests reads the text of every engine's input. */
const PAGE = { text: 'wait' } as never

function speaker(pool: EnginePool) {
  return (text: string, signal = FOREVER, owner = 'owner'): Promise<unknown> =>
    pool.run('language', { text }, signal, owner)
}

function codeOf(end: PromiseSettledResult<unknown>) {
  assert.ok(end.status === 'rejected')
  const { kind, code } = end.reason as UpstreamProblem
  return [kind, code]
}
