import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signAgentIn } from '../../gateway/agent-client.ts'
import { startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { firstOwner } from '../../gateway/people-under-test.ts'

test('a spent budget is a 429 billing_error for a session of an agent, in messages only, and a 402 for all others', async () => {
  const limits = await startLimitsGateway({}, {}, { config: { agents: { signIn: true } } })
  await firstOwner(limits.gateway)
  const { access_token } = await signAgentIn(limits.gateway.url, 'owner@example.com')
  await limits.limit({ budgets: [{ id: 'tiny', appliesTo: 'all', limit: 0.000001, window: 'month' }] })
  const own = { authorization: `Bearer ${access_token}` }
  const body = { model: 'fake/priced', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }
  const spent = await limits.post('/v3/claude/v1/messages', body, own)
  assert.equal(spent.status, 429)
  assert.equal(spent.headers.get('x-should-retry'), 'false')
  const { type, error } = (await spent.json()) as { type: string; error: { type: string; message: string } }
  assert.deepEqual([type, error.type], ['error', 'billing_error'])
  assert.match(error.message, /0\.000001 USD per month.*A new month begins at \d{4}-/)
  assert.equal((await limits.post('/v3/v1/messages', body)).status, 402)
  assert.equal((await limits.post('/v3/chat/completions', body, own)).status, 402)
  await limits.close()
})
