import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../test/fakes/any-caller.ts'
import { fixedCost } from '../limits/worst-case.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { WireFailure } from '../wire/wire.ts'
import { type Call, failCall, newCall } from './call.ts'
import { ClientGone } from './client-gone.ts'
import { billOfWorst, payIfLeft } from './pay-if-left.ts'
import { spend } from './spend.ts'

const TARGET = { id: 'p/m', provider: {} }
const GONE = new ClientGone()

test('a caller who leaves after the request was written pays for it', () => {
  const call = aCall({})
  payIfLeft(call, TARGET, GONE, () => ({ cost: 0.2 }))
  failCall(call, GONE)
  assert.deepEqual([call.cost, call.estimated], [0.2, true])
})

test('nothing is paid if nothing was written, nobody left, or the provider refused', () => {
  const refusal = new UpstreamProblem('bad_request', 'no', { status: 400 })
  const broken = new WireFailure('reset')
  const free: [Call, unknown][] = [
    [aCall({ isWritten: false }), GONE],
    [aCall({ hasLeft: false }), broken],
    [aCall({}), refusal],
  ]
  for (const [call, error] of free) {
    payIfLeft(call, TARGET, error, () => ({ cost: 0.2 }))
    failCall(call, error)
    assert.deepEqual([call.cost, call.estimated], [0, false])
  }
})

test('it is added to what was paid before, and an unknown cost makes the whole unknown', () => {
  const call = aCall({})
  spend(call, 0.1)
  payIfLeft(call, TARGET, GONE, () => ({ cost: 0.2 }))
  assert.equal(call.cost, 0.3)
  payIfLeft(call, TARGET, GONE, () => billOfWorst(fixedCost(null)))
  failCall(call, GONE)
  assert.equal(call.cost, null)
})

test('a free provider bills nothing, which is no estimate', () => {
  const call = aCall({})
  payIfLeft(call, { id: 'p/m', provider: { free: true } }, GONE, () => ({ cost: 0.2 }))
  assert.deepEqual([call.cost, call.estimated], [0, false])
})

test('where the code that asks books by itself, nothing is booked here', () => {
  const call = aCall({})
  payIfLeft(call, TARGET, GONE, () => undefined)
  assert.deepEqual([call.cost, call.estimated], [null, false])
})

function aCall({ isWritten = true, hasLeft = true }): Call {
  const signal = hasLeft ? AbortSignal.abort(GONE) : new AbortController().signal
  const start = { id: 'c', caller: ANY_CALLER, endpoint: 'images', startedAt: 0, signal, wantsMetadata: false }
  const call = newCall(start)
  call.wire.isWritten = isWritten
  return call
}
