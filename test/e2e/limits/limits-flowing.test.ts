import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Limits whose window is shorter than a day: they flow, and have no window that could begin again.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

const HELLO = { model: 'fake/priced', messages: [{ role: 'user', content: 'Hello!' }] }
let made = 0
const perHour = (unit: string, limit: number, more: object = {}) => ({
  id: `flowing-${made++}`,
  appliesTo: 'all',
  unit,
  limit,
  window: 'hour',
  ...more,
})

test('a reset makes a limit that flows as good as new', async () => {
  const limit = perHour('requests', 2)
  await scene.limit({ rateLimits: [limit] })
  const path = `/admin/rate-limits/${limit.id}`
  assert.deepEqual([await statusOf(), await statusOf(), await statusOf()], [200, 200, 429])
  const reset = (await (await scene.admin('POST', `${path}/reset`)).json()) as { spent: number; left: number }
  assert.deepEqual([reset.spent, reset.left], [0, 2])
  assert.deepEqual([await statusOf(), await statusOf(), await statusOf()], [200, 200, 429])
})

test('an answer without a length of its own is shortened to what is left, if the limit says so', async () => {
  await scene.limit({ rateLimits: [perHour('tokens', 2_000, { onExceeded: 'clamp' })] })
  const running = holdAnswers(2)
  const first = chat()
  await scene.fake.request(0)
  const second = chat()
  await scene.fake.request(1)
  assert.deepEqual([lengthSent(0), (lengthSent(1) ?? 0) > 800, (lengthSent(1) ?? 0) < 1_024], [undefined, true, true])
  await errorIn(await chat(), 429)
  running.resolve()
  assert.deepEqual([(await first).status, (await second).status], [200, 200])
})

test('otherwise the caller is told when to come back', async () => {
  await scene.limit({ rateLimits: [perHour('tokens', 2_000)] })
  const running = holdAnswers(1)
  const first = chat()
  await scene.fake.request(0)
  const refused = await chat()
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await errorIn(refused, 429)
  running.resolve()
  assert.equal((await first).status, 200)
})

/** Does not say how long the answer may be. */
function chat(): Promise<Response> {
  return scene.post('/v3/chat/completions', HELLO)
}

async function statusOf(): Promise<number> {
  const response = await chat()
  await response.arrayBuffer()
  return response.status
}

function holdAnswers(count: number): PromiseWithResolvers<void> {
  const running = Promise.withResolvers<void>()
  for (let held = 0; held < count; held++)
    scene.fake.next(async (request, response) => {
      await running.promise
      await answer()(request, response)
    })
  return running
}

function lengthSent(index: number): number | undefined {
  const body = scene.fake.requests[index]!.body as { max_tokens?: number; max_completion_tokens?: number }
  return body.max_completion_tokens ?? body.max_tokens
}
