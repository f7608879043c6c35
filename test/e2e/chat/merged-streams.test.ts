import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type StreamOptions, stream } from '../../fakes/stream.ts'
import { readStream, textUntilError } from '../../gateway/chat-client.ts'
import { idle } from '../../gateway/gateway-with-fakes.ts'
import { BUDGET, demandSettled } from '../../gateway/leaving.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Several choices of a provider that gives one answer at a time: each is a request of its own, and is paid by its own end.

const USAGE = { prompt_tokens: 50, completion_tokens: 70, total_tokens: 120 }
/** What is estimated of "hi" as a prompt stays far below. */
const WHOLE = textEvents('One two three', { usage: USAGE })
const WITHOUT_USAGE = textEvents('One two three', { usage: null })
const MAX_TOKENS = 1_000

let scene: LimitsGateway

before(async () => {
  // Time stands still, so what a provider can have written unseen is nothing.
  scene = await startLimitsGateway({ monotonic: () => 1_000 })
  await scene.limit({ budgets: [BUDGET] })
})
after(() => scene.close())
beforeEach(() => scene.fake.reset())

const CUT_AFTER = 3
const CUTS: Record<string, { events: (string | object)[]; end: StreamOptions['end'] }> = {
  'an end without a reason': { events: WHOLE.slice(0, CUT_AFTER), end: 'clean' },
  'a FIN': { events: WHOLE.slice(0, CUT_AFTER), end: 'fin' },
  'a reset': { events: WHOLE.slice(0, CUT_AFTER), end: 'rst' },
  'an error event': { events: [...WHOLE.slice(0, CUT_AFTER), { error: { message: 'boom' } }], end: 'clean' },
}

for (const [what, { events, end }] of Object.entries(CUTS)) {
  for (const order of ['first', 'last'] as const) {
    test(`one of three streams is cut by ${what}, ${order}: an error; the others are paid as counted, and it as an estimate`, async () => {
      const [begun, isTurn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // Before all have begun, a reset would be one before the answer.
      const [now, later] = [begun.promise, Promise.all([begun.promise, isTurn.promise])]
      const whole = stream(WHOLE, { waitFor: order === 'first' ? later : now, waitAfter: 2 })
      const cut = stream(events, { end: end!, waitFor: order === 'first' ? now : later, waitAfter: 2 })
      let earlier = order === 'first' ? 1 : 2
      const followed = (behaviour: Behaviour, isEarlier: boolean): Behaviour => {
        return async (request, response) => {
          await behaviour(request, response)
          if (isEarlier && --earlier === 0) isTurn.resolve()
        }
      }
      scene.fake.next(followed(whole, order === 'last'))
      scene.fake.next(followed(cut, order === 'first'))
      scene.fake.next(followed(whole, order === 'last'))
      const { errors, done, line } = await askForThree(begun.resolve)
      assert.deepEqual(
        [errors.length, done, line.status, line.code, line.estimated],
        [1, 0, 502, 'upstream_error', true],
      )
      const { prompt_tokens, completion_tokens } = line
      const ofCut = completion_tokens - 2 * USAGE.completion_tokens
      assert.ok(ofCut > 0 && ofCut < MAX_TOKENS / 10, `${completion_tokens} tokens`)
      const ofPrompt = prompt_tokens - 2 * USAGE.prompt_tokens
      assert.ok(ofPrompt > 0 && ofPrompt < USAGE.prompt_tokens, `${prompt_tokens} tokens read`)
      assert.equal(line.cost, costOf(line))
    })
  }
}

const WHOLE_ENDS: Record<string, { events: (string | object)[]; end: StreamOptions['end'] }> = {
  'a FIN after its end': { events: WHOLE, end: 'fin' },
  'an end without [DONE]': { events: WHOLE, end: 'clean' },
  'garbage after its end': { events: [...WHOLE, 'data: {"choices":[{"index":0,"del\n\n'], end: 'clean' },
}

for (const [what, { events, end }] of Object.entries(WHOLE_ENDS)) {
  test(`one of three streams has ${what} while the others go on: nothing is lost`, async () => {
    const gate = Promise.withResolvers<void>()
    const going = stream(WHOLE, { waitFor: gate.promise, waitAfter: 2 })
    const early = stream(events, { end: end! })
    for (const behaviour of [going, early, going]) {
      scene.fake.next(async (request, response) => {
        await behaviour(request, response)
        if (behaviour === early) gate.resolve()
      })
    }
    const { errors, done, chunks, line } = await askForThree()
    assert.deepEqual([errors, done, line.status, line.estimated], [[], 1, 200, false])
    const reasons = chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []))
    assert.deepEqual(reasons, ['stop', 'stop', 'stop'])
    assert.deepEqual([line.prompt_tokens, line.completion_tokens], [150, 210])
    assert.equal(line.cost, costOf(line))
  })
}

test('of whole streams, one without usage makes the sum an estimate, and the others count as they are', async () => {
  for (const events of [WHOLE, WITHOUT_USAGE, WHOLE]) scene.fake.next(stream(events))
  const { done, line } = await askForThree()
  assert.deepEqual([done, line.status, line.estimated], [1, 200, true])
  const ofOne = line.completion_tokens - 2 * USAGE.completion_tokens
  assert.ok(ofOne > 0 && ofOne < 10, `${line.completion_tokens} tokens`)
})

test('nothing stays reserved, and the books agree', () => demandSettled(scene))

async function askForThree(begun?: () => void) {
  const body = { model: 'chatting/priced', n: 3, stream: true, max_tokens: MAX_TOKENS }
  const reply = await scene.chat(body)
  begun?.()
  const read = readStream(await textUntilError(reply.body!))
  await idle(scene.gateway)
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=1')).json()) as { items: RequestLine[] }
  assert.equal(scene.fake.requests.length, 3)
  return { ...read, line: items[0]! }
}

/** 1 and 2 USD per million tokens. */
function costOf({ prompt_tokens, completion_tokens }: RequestLine): number {
  return Number(((prompt_tokens + 2 * completion_tokens) / 1_000_000).toFixed(9))
}
