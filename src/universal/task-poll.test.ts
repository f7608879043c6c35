import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problem } from '../contract/problems.ts'
import { WireFailure } from '../wire/wire.ts'
import { TaskFailure } from '../tasks/http/task-failure.ts'
import { taskOf, toolsAnswering } from '../tasks/http/fixtures/recording.ts'
import type { SlowAdapter } from '../tasks/feature.ts'
import { type PollOptions, pollUntilDone } from './task-poll.ts'

const DONE = { output: 'done', original: null, units: 1 }
const OVERLOADED = new TaskFailure('overloaded', 'busy', { retryAfterSeconds: 9 })

/** A provider that answers as told, one state after the other; what was done with it, and how long was waited. */
function scene(states: (unknown | Error)[], more: Partial<PollOptions> = {}) {
  const done: string[] = []
  const waits: number[] = []
  const stop = new AbortController()
  const adapter: SlowAdapter = {
    start: async () => {
      done.push('start')
      return 'ticket'
    },
    poll: async (ticket) => {
      done.push(`poll ${ticket}`)
      const state = states.length > 1 ? states.shift() : states[0]
      if (state instanceof Error) throw state
      return state as typeof DONE
    },
    cancel: async (ticket, { signal }) => void done.push(`cancel ${ticket} ${signal.aborted}`),
  }
  const options: PollOptions = {
    saveTicket: async (ticket) => void done.push(`save ${ticket}`),
    survives: true,
    sleep: async (ms, signal) => {
      waits.push(ms)
      signal.throwIfAborted()
    },
    ...more,
  }
  const tools = { ...toolsAnswering({ status: 200, headers: {} }).tools, signal: stop.signal }
  return { run: () => pollUntilDone(adapter, taskOf({}), tools, options), done, waits, stop }
}

test('asks ever more seldom, and is started once', async () => {
  const { run, done, waits } = scene([...Array(10).fill('pending'), DONE])
  assert.equal(await run(), DONE)
  assert.deepEqual(done.slice(0, 3), ['start', 'save ticket', 'poll ticket'])
  assert.deepEqual(waits.slice(0, 3), [1_000, 1_500, 2_250])
  assert.deepEqual([waits.at(-1), done.filter((one) => one === 'start').length], [15_000, 1])
  const again = scene([DONE], { ticket: 'kept' })
  await again.run()
  assert.deepEqual(again.done, ['poll kept'])
})

test('a question that fails is asked again, after as long as the provider wants', async () => {
  const { run, done, waits } = scene([OVERLOADED, new WireFailure('headers_timeout'), DONE])
  assert.equal(await run(), DONE)
  assert.deepEqual([waits, done.filter((one) => one.startsWith('poll')).length], [[9_000, 1_500], 3])
})

test('what fails six times in a row, or for good, is told', async () => {
  const unhealthy = scene([OVERLOADED])
  await assert.rejects(unhealthy.run(), /busy/)
  assert.equal(unhealthy.done.filter((one) => one.startsWith('poll')).length, 6)
  const failed = scene([new TaskFailure('context_length', 'given up')])
  await assert.rejects(failed.run(), /given up/)
  assert.deepEqual(failed.done, ['start', 'save ticket', 'poll ticket'])
})

test('a restart of ours leaves the task at the provider; the end of its time, or of its caller, ends it there', async () => {
  for (const [reason, survives, isCancelled] of [
    [new Error('released'), true, false],
    [problem('upstream_timeout'), true, true],
    [new Error('the caller left'), false, true],
  ] as const) {
    const { run, done, stop } = scene(['pending'], { survives })
    stop.abort(reason)
    await assert.rejects(run(), reason)
    assert.equal(done.includes('cancel ticket false'), isCancelled, reason.message)
  }
})

test('a ticket that could not be kept is good for nothing: the task is ended', async () => {
  const saveTicket = async () => Promise.reject(new Error('no store'))
  const { run, done } = scene(['pending'], { saveTicket })
  await assert.rejects(run(), /no store/)
  assert.deepEqual(done, ['start', 'cancel ticket false'])
})
