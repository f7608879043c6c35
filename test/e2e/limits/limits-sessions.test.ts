import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { operator } from '../../gateway/people-under-test.ts'

// Limits that count each session of an agent apart.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

let made = 0
function perSession(limit: number, more: object = {}) {
  return {
    id: `session-${made++}`,
    appliesTo: 'all',
    per: 'session',
    limit,
    window: 'idle:30m',
    onExceeded: 'refuse',
    ...more,
  }
}

function chat(session: string | undefined, body: object = {}) {
  return scene.chat({ max_tokens: 10, ...body }, session === undefined ? {} : { 'x-session-id': session })
}

async function statusOf(session: string | undefined, body: object = {}): Promise<number> {
  const response = await chat(session, body)
  await response.arrayBuffer()
  return response.status
}

function using(completion_tokens: number) {
  scene.fake.always(answer({ usage: { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens } }))
}

/** As if nothing had been asked for this long. */
async function age(id: string, minutes: number) {
  const { db, spendLimits } = scene.gateway.gateway.services.calls
  for (const { share } of spendLimits.shares.list) await share.giveBack()
  await db.query('UPDATE limit_sessions SET used_at = used_at - $1 WHERE limit_id = $2', [minutes * 60_000, id])
}

test('money, requests and tokens are counted for each session apart, and calls without one share an account of their key', async () => {
  const units = [
    { budgets: [perSession(0.01)] },
    { rateLimits: [perSession(4, { unit: 'requests' })] },
    { rateLimits: [perSession(5_000, { unit: 'tokens' })] },
  ]
  for (const sections of units) {
    await scene.limit(sections)
    using(1_200)
    const body = { max_tokens: 1_200 }
    for (const session of ['one', 'two', undefined]) {
      const statuses: number[] = []
      for (let call = 0; call < 5; call++) statuses.push(await statusOf(session, body))
      assert.deepEqual(statuses.slice(0, 4), [200, 200, 200, 200], `${session} ${JSON.stringify(sections)}`)
      assert.ok([402, 429].includes(statuses[4]!), String(statuses))
    }
  }
})

test('200 calls of a session at the same time do not pass what it may spend', async () => {
  const limit = perSession(0.01)
  await scene.limit({ budgets: [limit] })
  using(500)
  const calls = Array.from({ length: 200 }, () => statusOf('parallel', { max_tokens: 500 }))
  const statuses = await Promise.all(calls)
  const answered = statuses.filter((status) => status === 200).length
  // A call reserves 0.001 USD for its answer and a little for its prompt, and costs 0.001 USD.
  assert.ok(answered >= 5 && answered <= 10, String(answered))
  assert.equal(scene.fake.requests.length, answered)
  assert.deepEqual([...new Set(statuses)].sort(), [200, 402])
  assert.equal(await statusOf('other', { max_tokens: 500 }), 200)
})

test('an agent can show the refusal to the person who uses it', async () => {
  const limit = perSession(0.001)
  await scene.limit({ budgets: [limit] })
  const response = await chat('shown', { max_tokens: 5_000 })
  assert.equal(response.headers.get('x-should-retry'), 'false')
  const error = await errorIn(response, 402)
  assert.equal(error.limit_id, limit.id)
  assert.match(String(error.message), /^This session has used 0\.00 USD of the 0\.001 USD that the limit/)
  assert.match(String(error.message), /Start a new session, or ask a manager of this project to reset the limit/)
  const shared = await errorIn(await chat(undefined, { max_tokens: 5_000 }), 402)
  assert.match(String(shared.message), /^Calls of this key that do not name a session have used/)

  await scene.limit({ rateLimits: [perSession(1, { unit: 'requests' })] })
  await statusOf('counted')
  const counted = await chat('counted')
  assert.equal(counted.headers.get('x-should-retry'), 'false')
  assert.equal(counted.headers.get('retry-after'), String(30 * 60))
  const refusal = await errorIn(counted, 429)
  assert.match(String(refusal.message), /^This session has used 1 request of the 1 request/)
})

test('a session that was idle for as long as the limit says begins anew, and one that was not goes on', async () => {
  const limit = perSession(2, { unit: 'requests' })
  await scene.limit({ rateLimits: [limit] })
  assert.deepEqual([await statusOf('idle'), await statusOf('idle'), await statusOf('idle')], [200, 200, 429])
  await age(limit.id, 29)
  await new Promise((resolve) => setTimeout(resolve, 30))
  assert.equal(await statusOf('idle'), 429)
  // Even a call that was refused is a use: an agent that tries again and again does not become idle.
  await age(limit.id, 29)
  assert.equal(await statusOf('idle'), 429)
  // The gateway tells the store from time to time which sessions are in use, and may just have done so.
  do await age(limit.id, 30)
  while ((await statusOf('idle')) === 429)
  assert.deepEqual([await statusOf('idle'), await statusOf('idle')], [200, 429])
})

test('neither leaving the session out nor inventing sessions gives more than the sessions that a key may have', async () => {
  const limit = perSession(2, { unit: 'requests', maxSessions: 3 })
  await scene.limit({ rateLimits: [limit] })
  const statuses: number[] = []
  for (let call = 0; call < 30; call++) statuses.push(await statusOf(call % 5 === 0 ? undefined : `invented-${call}`))
  // Three sessions of which each asks once, and two calls of all others together.
  assert.equal(statuses.filter((status) => status === 200).length, 5)
  assert.equal(await statusOf('invented-1'), 200, 'a session that is counted apart goes on')
  assert.equal(await statusOf('invented-1'), 429)
})

test('the session of one key is not that of another', async () => {
  await scene.limit({ rateLimits: [perSession(1, { unit: 'requests' })] })
  const { body } = await operator(scene.gateway)('POST', '/admin/keys', { name: 'second' })
  assert.equal(await statusOf('same'), 200)
  assert.equal(await statusOf('same'), 429)
  const other = await scene.chat({ max_tokens: 10 }, { 'x-session-id': 'same', authorization: `Bearer ${body.key}` })
  assert.equal(other.status, 200)
})

test('what a session has used survives a restart', async () => {
  const limit = perSession(2, { unit: 'requests' })
  await scene.limit({ rateLimits: [limit] })
  assert.deepEqual([await statusOf('kept'), await statusOf('kept'), await statusOf('kept')], [200, 200, 429])
  await scene.restart(() => undefined)
  assert.equal(await statusOf('kept'), 429)
})

test('a person with the right lifts the limit for one session, which is in the audit log', async () => {
  const limit = perSession(2, { unit: 'requests' })
  await scene.limit({ rateLimits: [limit] })
  for (const session of ['lifted', 'other'])
    assert.deepEqual([await statusOf(session), await statusOf(session), await statusOf(session)], [200, 200, 429])
  const admin = operator(scene.gateway)
  const { body: sessions } = await admin('GET', '/admin/agent-sessions?session=lifted')
  assert.deepEqual([sessions.items.length, sessions.items[0].requests], [1, 3])
  const { id } = sessions.items[0]
  const { body: before } = await admin('GET', `/admin/agent-sessions/${id}`)
  assert.deepEqual([before.limits[0].limit_id, before.limits[0].spent, before.limits[0].left], [limit.id, 2, 0])
  const lifted = await admin('POST', '/admin/agent-sessions/lift', { id, limit_id: limit.id })
  assert.deepEqual([lifted.status, lifted.body.limits[0].spent], [200, 0])
  await new Promise((resolve) => setTimeout(resolve, 30))
  assert.deepEqual([await statusOf('lifted'), await statusOf('lifted'), await statusOf('lifted')], [200, 200, 429])
  assert.equal(await statusOf('other'), 429)
  const { body: audit } = await admin('GET', '/admin/audit?action=rate_limit.lift')
  assert.deepEqual(audit.items[0].after.session, 'lifted')
  for (const wrong of [
    { id, limit_id: 'nothing' },
    { id: 'nonsense', limit_id: limit.id },
  ])
    assert.equal((await admin('POST', '/admin/agent-sessions/lift', wrong)).status, 404)
})

test('limits per session have windows that end when the session is idle, and nothing else has', async () => {
  const admin = operator(scene.gateway)
  const body = { applies_to: 'all', limit: 5, window: 'idle:30m', per: 'session' }
  const wrong: [object, RegExp][] = [
    [{ ...body, window: 'day' }, /window: should be idle:/],
    [{ ...body, window: 'idle:30s' }, /window/],
    [{ ...body, window: 'idle:9999d' }, /window: should be idle:/],
    [{ ...body, per: 'key' }, /window: idle times are for limits per session/],
    [{ ...body, per: 'key', window: 'day', max_sessions: 3 }, /max_sessions: is for limits per session/],
    [{ ...body, alerts: [0.5] }, /alerts/],
    [{ ...body, max_sessions: 0 }, /max_sessions/],
  ]
  for (const [sent, message] of wrong) {
    const refused = await admin('POST', '/admin/budgets', sent)
    assert.equal(refused.status, 422, JSON.stringify(sent))
    assert.match(refused.body.error.message, message)
  }
  const created = await admin('POST', '/admin/budgets', { ...body, max_sessions: 7 })
  assert.deepEqual([created.status, created.body.window, created.body.max_sessions], [201, 'idle:30m', 7])
  const patched = await admin('PATCH', `/admin/budgets/${created.body.id}`, { max_sessions: 8 })
  assert.deepEqual([patched.status, patched.body.max_sessions], [200, 8])
  await admin('DELETE', `/admin/budgets/${created.body.id}`)
})
