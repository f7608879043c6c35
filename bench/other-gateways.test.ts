import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startBifrost } from './bifrost.ts'
import { doubtsAbout } from './doubts.ts'
import { litellmConfig, startLitellm } from './litellm.ts'
import { checkAnswer } from './scenarios.ts'
import { readSettings } from './settings.ts'
import type { Slice } from './slices.ts'
import { ratiosOf } from './targets.ts'
import { startNodeUpstream, type Upstream } from './upstream.ts'
import { openWorkplace, type Workplace } from './workplace.ts'

const STAND_IN = join(import.meta.dirname, 'fixtures', 'stand-in-gateway.mjs')

describe('other gateways in the benchmark', () => {
  let workplace: Workplace
  let upstream: Upstream
  before(async () => {
    workplace = openWorkplace()
    upstream = await startNodeUpstream(workplace)
  })
  after(() => workplace?.close())

  test('Bifrost is started from its program and answers with what the upstream said', async () => {
    const contender = await startBifrost(workplace, upstream.baseUrl, STAND_IN)
    assert.deepEqual([contender.name, contender.running?.alive()], ['bifrost', true])
    await checkAnswer(contender)
    await assert.rejects(checkAnswer({ ...contender, headers: {} }), /bifrost answers 401: wrong key/)
    await contender.running?.stop()
    assert.equal(contender.running?.alive(), false)
  })

  test('LiteLLM is started with a config of its own and checks its master key', async () => {
    const contender = await startLitellm(workplace, upstream.baseUrl, { command: STAND_IN, version: 'stand-in' })
    await checkAnswer(contender)
    await assert.rejects(checkAnswer({ ...contender, headers: {} }), /litellm answers 401: wrong key/)
    await contender.running?.stop()
    assert.deepEqual(Object.keys(litellmConfig('x')), ['model_list', 'litellm_settings', 'general_settings'])
  })

  test('a program that is not there, or that ends at once, is named', async () => {
    await assert.rejects(startBifrost(workplace, upstream.baseUrl, '/no/such/program'), /not a program that can be run/)
    await assert.rejects(startBifrost(workplace, upstream.baseUrl, '/bin/false'), /bifrost did not become ready/)
  })
})

test('--with names gateways, and refuses what it does not know', () => {
  assert.deepEqual(readSettings([]).withOthers, { litellm: false })
  assert.deepEqual(readSettings(['--with', 'litellm', '--with', 'bifrost=bin/b']).withOthers, {
    litellm: true,
    bifrost: resolve('./bin/b'),
  })
  for (const wrong of ['bifrost', 'bifrost=', 'other']) {
    assert.throws(() => readSettings(['--with', wrong]), /--with does not know/)
  }
})

test('each of them is reported as a ratio to Gatehouse in the same round, without a target', () => {
  const slices = [slice('gatehouse', 0, 10), slice('litellm', 0, 250), slice('bifrost', 0, 5), slice('litellm', 1, 90)]
  const ratios = ratiosOf('small', slices).map(({ top, bottom, spread, rounds, met }) => {
    return [top, bottom, spread.middle, rounds, met]
  })
  assert.deepEqual(ratios, [
    ['litellm', 'gatehouse', 25, 1, undefined],
    ['bifrost', 'gatehouse', 0.5, 1, undefined],
  ])
})

test('a contender that answers little in a slice is named, because requests that were cut off used CPU', () => {
  const [few, enough] = [slice('litellm', 0, 10), { ...slice('gatehouse', 0, 10), count: 320 }]
  const doubts = doubtsAbout(['a note'], [{ scenario: 'small', title: 'small', slices: [few, enough] }])
  assert.match(doubts, /^- a note\n- small, LiteLLM: few answers in a slice.*\(--seconds\)$/)
  assert.equal(doubtsAbout([], [{ scenario: 'streams', title: 'streams', slices: [few] }]), '')
})

function slice(contender: Slice['contender'], round: number, cpuUs: number): Slice {
  const machine = { busy: 0, ours: 0, capacity: 1 }
  return { contender, round, cpuUs, count: 1, seconds: 1, p50Us: 1, errors: [], rssBytes: 0, machine }
}
