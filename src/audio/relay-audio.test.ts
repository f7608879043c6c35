import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callWith, target as attemptTarget } from '../attempts/fixtures/play-targets.ts'
import type { ChatTarget } from '../routing/route.ts'
import { relayAudio } from './relay-audio.ts'

const BUG = new TypeError('a fault of ours')

test('a call whose audio cannot be billed is ended all the same, as failed', async () => {
  for (const fails of [false, true]) {
    const ends: unknown[] = []
    const call = callWith(new AbortController().signal)
    const target = attemptTarget('p/m') as ChatTarget
    const ending = {
      fail: (error: unknown) => {
        ends.push(error)
        return error
      },
      close: () => void ends.push('closed'),
    }
    const bytes = relayAudio(
      async function* () {
        yield new Uint8Array(1)
        if (fails) throw new Error('the provider broke off')
      },
      { call, target, ending, pay: () => assert.fail(BUG) },
    )
    await assert.rejects(async () => {
      for await (const one of bytes) assert.equal(one.length, 1)
    }, BUG)
    assert.equal(ends[0], BUG)
  }
})
