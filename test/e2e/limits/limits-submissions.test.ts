import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// Work that is submitted to be done later is refused when it is submitted, as if it were to be done now.

const TASK = {
  model: 'translation/automatic_translation/deepl',
  input: { text: 'Hello, world!', target_language: 'fr' },
}
const RESPONSE = { model: 'fake/priced', input: 'Hello!', max_output_tokens: 1_000, background: true }
const SUBMISSIONS = [
  { name: 'a job', slug: 'job', path: '/v3/universal-ai/async', body: TASK, accepted: 202, now: '/v3/universal-ai' },
  {
    name: 'a response in the background',
    slug: 'response',
    path: '/v3/responses',
    body: RESPONSE,
    accepted: 200,
    now: '/v3/responses',
  },
]
const MONTH = { appliesTo: 'all', window: 'month', onExceeded: 'refuse' }
const MINUTE = { appliesTo: 'all', unit: 'requests', window: 'minute' }

const started = (role: 'all' | 'api', more: object = {}) =>
  startLimitsGateway({ role, ...more }, { DEEPL_API_KEY: 'plain.words.as.a.key' }, { moves: ['DEEPL'] })

describe('without a worker', () => {
  let scene: LimitsGateway
  before(async () => {
    scene = await started('api')
    scene.fake.always(answer({ usage: { prompt_tokens: 100, completion_tokens: 900, total_tokens: 1_000 } }))
  })
  after(() => scene.close())

  for (const { name, slug, path, body, accepted, now } of SUBMISSIONS) {
    test(`${name} is refused with 402 when the budget is spent, with the body that a call of now gets`, async () => {
      await scene.limit({ budgets: [{ ...MONTH, id: `spent-${slug}`, limit: 0.004 }] })
      // The first two cost 0.0019 each.
      for (let calls = 0; calls < 2; calls++) await (await scene.chat()).arrayBuffer()
      const refused = await errorIn(await scene.post(path, body), 402)
      const direct = await errorIn(await scene.post(now, { ...body, background: false }), 402)
      // `background` is a field, too, so what may be needed differs by some bytes. What the store does not have yet is reserved, not spent.
      const differs = ['request_id', 'needed', 'message', 'spent', 'reserved']
      assert.deepEqual(Object.keys(refused), Object.keys(direct))
      for (const [member, value] of Object.entries(direct))
        if (!differs.includes(member)) assert.deepEqual(refused[member], value, member)
      assert.equal(refused.code, 'budget_exhausted')
    })

    test(`${name} reserves nothing while it waits`, async () => {
      // Enough for one of them at a time.
      await scene.limit({ budgets: [{ ...MONTH, id: `waiting-${slug}`, limit: 0.0025 }] })
      for (let count = 0; count < 4; count++) assert.equal((await scene.post(path, body)).status, accepted)
    })

    test(`${name} is refused with 429 when the rate of requests is used up`, async () => {
      await scene.limit({ rateLimits: [{ ...MINUTE, id: `used-${slug}`, limit: 1 }] })
      await (await scene.chat()).arrayBuffer()
      const response = await scene.post(path, body)
      assert.ok(Number(response.headers.get('retry-after')) > 0)
      const refused = await errorIn(response, 429)
      assert.equal(refused.limit_id, `used-${slug}`)
    })

    test(`a rate of requests counts the submission of ${name}`, async () => {
      await scene.limit({ rateLimits: [{ ...MINUTE, id: `counts-${slug}`, limit: 3 }] })
      const statuses: number[] = []
      for (let count = 0; count < 5; count++) statuses.push((await scene.post(path, body)).status)
      assert.deepEqual(statuses, [accepted, accepted, accepted, 429, 429])
    })

    test(`slots are not for ${name} that waits`, async () => {
      await scene.limit({ rateLimits: [{ appliesTo: 'all', unit: 'concurrent', id: `slots-${slug}`, limit: 1 }] })
      for (let count = 0; count < 3; count++) assert.equal((await scene.post(path, body)).status, accepted)
    })
  }

  test('a response in the background is refused with 429 when the rate of tokens is used up', async () => {
    await scene.limit({ rateLimits: [{ ...MINUTE, id: 'tokens', unit: 'tokens', limit: 1_500 }] })
    await (await scene.chat({ max_tokens: 900 })).arrayBuffer()
    assert.equal((await errorIn(await scene.post('/v3/responses', RESPONSE), 429)).limit_id, 'tokens')
  })

  test('an accepted job is shown again for its idempotency key, whatever is left', async () => {
    await scene.limit({ rateLimits: [{ ...MINUTE, id: 'repeated', limit: 1 }] })
    const repeat = () => scene.post('/v3/universal-ai/async', TASK, { 'idempotency-key': 'the same' })
    const first = (await (await repeat()).json()) as { public_id: string }
    const second = await repeat()
    assert.equal(second.status, 202)
    assert.equal(((await second.json()) as { public_id: string }).public_id, first.public_id)
    assert.equal((await scene.post('/v3/universal-ai/async', TASK)).status, 429)
  })
})

describe('with a worker', () => {
  let scene: LimitsGateway
  before(async () => {
    scene = await started('all')
  })
  after(() => scene.close())

  test('a rate of requests does not count the execution of what it has counted', async () => {
    await scene.limit({ rateLimits: [{ ...MINUTE, id: 'once', limit: 2 }] })
    for (let count = 0; count < 2; count++) {
      const submitted = await scene.post('/v3/responses', RESPONSE)
      const { id } = (await submitted.json()) as { id: string }
      assert.equal(await endOf(id), 'completed')
    }
    assert.equal((await scene.post('/v3/responses', RESPONSE)).status, 429)
  })

  async function endOf(id: string): Promise<string> {
    for (;;) {
      const response = await fetch(`${scene.gateway.url}/v3/responses/${id}`, headers())
      const { status } = (await response.json()) as { status: string }
      if (status !== 'queued' && status !== 'in_progress') return status
      await new Promise(setImmediate)
    }
  }
})

describe('an owner with as many waiting jobs as it may have', () => {
  let scene: LimitsGateway
  before(async () => {
    scene = await started('api', { maxWaitingJobs: 3 })
  })
  after(() => scene.close())

  test('gets 429 for one more, whether it is a job or a response in the background', async () => {
    const [job, response] = SUBMISSIONS
    for (const { path, body, accepted } of [job!, response!, job!])
      assert.equal((await scene.post(path, body)).status, accepted)
    for (const { path, body } of [job!, response!]) {
      const refused = await scene.post(path, body)
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      assert.match(String((await errorIn(refused, 429)).message), /^3 jobs of this owner are already waiting/)
    }
  })
})

function headers() {
  return { headers: { authorization: `Bearer ${API_KEY}` } }
}
