import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { SpendingForecast } from '../../../src/contract/admin/forecast.ts'
import { answer } from '../../fakes/behaviours.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Every byte of a prompt is taken for a token, until that does not fit: then the tokens are counted.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway({}, { ALLOW_NETWORKS: '127.0.0.0/8' })
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

const WORDS = 4_000
/** Has 24,000 bytes and 4,000 tokens, which cost 0.004 USD. */
const messages = [{ role: 'user', content: 'hello '.repeat(WORDS) }]
const COUNTED = { model: 'fake/gpt-4o', messages, max_tokens: 100 }
let made = 0
const budget = (limit: number, more: object = {}) => ({
  id: `counted-${made++}`,
  appliesTo: 'all',
  limit,
  window: 'month',
  onExceeded: 'refuse',
  ...more,
})

test('a prompt whose bytes do not fit is counted before the call is refused or shortened', async () => {
  await scene.limit({ budgets: [budget(0.006)] })
  assert.equal((await scene.chat(COUNTED)).status, 200)
  // The vocabulary of this model is unknown, so its tokens cannot be counted.
  await errorIn(await scene.chat({ ...COUNTED, model: 'fake/priced' }), 402)
  assert.equal(scene.fake.requests.length, 1)
})

test('what is reserved then is what was counted, so that the budget still holds', async () => {
  const limit = budget(0.006)
  await scene.limit({ budgets: [limit] })
  const running = Promise.withResolvers<void>()
  scene.fake.next(async (request, response) => {
    await running.promise
    await answer()(request, response)
  })
  const first = scene.chat(COUNTED)
  // What is refused never reaches the provider.
  const refused = await Promise.race([first, scene.fake.request(0).then(() => undefined)])
  assert.equal(refused, undefined, await refused?.text())
  const second = await scene.chat(COUNTED)
  // Not after the checks: what fails them would leave the gateway waiting for the provider.
  running.resolve()
  assert.equal((await first).status, 200)
  const error = await errorIn(second, 402)
  assert.ok(Number(error.needed) > 0.004 && Number(error.needed) < 0.006, String(error.needed))
  assert.equal(scene.fake.requests.length, 1)
})

test('an answer is shortened to what is left after the tokens that were counted', async () => {
  await scene.limit({ budgets: [budget(0.006, { onExceeded: 'clamp' })] })
  assert.equal((await scene.chat({ ...COUNTED, max_tokens: 50_000 })).status, 200)
  const { max_tokens } = scene.fake.requests[0]!.body as { max_tokens: number }
  assert.ok(max_tokens > 600 && max_tokens < 1_000, String(max_tokens))
})

test('a long file that is sent with the chat is not left out when its prompt is counted', async () => {
  await scene.limit({ budgets: [budget(0.1)] })
  // Files of this size are read while they are sent, and are not in the request before.
  scene.fake.next((_, response) => void response.end('hello '.repeat(50_000)))
  const content = [{ type: 'file', file: { file_id: `${scene.fake.url}/a.txt` } }]
  await errorIn(await scene.chat({ ...COUNTED, messages: [{ role: 'user', content }] }), 402)
  assert.equal(scene.fake.requests.length, 1)
})

test('tokens and input tokens of a day are counted too, and a dry run says the same', async () => {
  for (const unit of ['tokens', 'input_tokens']) {
    const limit = { id: `counted-${made++}`, appliesTo: 'all', unit, limit: 5_000, window: 'day' }
    await scene.limit({ rateLimits: [{ ...limit, onExceeded: 'refuse' }] })
    const explained = await scene.admin('POST', '/admin/explain', COUNTED)
    const { targets } = (await explained.json()) as { targets: { spending: SpendingForecast }[] }
    const [{ would_reserve, outcome }] = targets[0]!.spending.limits as [SpendingForecast['limits'][number]]
    assert.ok(outcome === 'passes' && would_reserve! > WORDS && would_reserve! < 5_000, String(would_reserve))
    assert.equal((await scene.chat(COUNTED)).status, 200)
  }
})
