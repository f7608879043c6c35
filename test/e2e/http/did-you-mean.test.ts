import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

// A name that is not known is refused with the one that was probably meant: of providers, tasks, members and queries.

const gateway = await startGateway()
after(() => gateway.close())
const admin = adminClient(gateway.adminUrl)
const messages = [{ role: 'user', content: 'Hello' }]

const CASES: [string, object, string][] = [
  ['/v3/chat/completions', { model: 'opnai/no-such-thing-at-all', messages }, 'Did you mean a model of openai?'],
  ['/v3/embeddings', { model: 'anthropc/no-such-thing', input: 'x' }, 'Did you mean a model of anthropic?'],
  ['/v3/universal-ai', { model: 'ocr/orc/local', input: {} }, 'Did you mean ocr?'],
  ['/v3/universal-ai', { model: 'txet/moderation/local', input: {} }, 'Did you mean text?'],
  ['/v3/universal-ai', { model: 'text/moderation/opnai', input: { text: 'x' } }, 'Did you mean openai?'],
  ['/v3/chat/completions', { model: 'sandbox/echo', messages, routing: { retrys: 1 } }, 'Did you mean retries?'],
  [
    '/v3/chat/completions',
    { model: 'sandbox/echo', messages, routing: { allowed_providers: ['opnai'] } },
    'Did you mean openai?',
  ],
]

for (const [path, body, hint] of CASES)
  test(`${path} ${JSON.stringify(body).slice(0, 60)}: ${hint}`, async () => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const reply = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const { error } = (await reply.json()) as Refusal
    assert.ok(error.message.includes(hint), error.message)
  })

for (const [path, meant] of [
  ['/v1/modelz', '/v3/models'],
  ['/v1/embedding', '/v3/embeddings'],
  ['/openai/v1/chat/completion', '/v3/chat/completions'],
])
  test(`the path ${path}: ${meant}`, async () => {
    const reply = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${API_KEY}` } })
    const { error } = (await reply.json()) as Refusal
    assert.deepEqual(
      [reply.status, error.message],
      [404, `There is nothing at GET ${path}. Did you mean ${meant}? See /docs for all endpoints.`],
    )
  })

test('another method is refused with those that the path has', async () => {
  const headers = { authorization: `Bearer ${API_KEY}` }
  const reply = await fetch(`${gateway.url}/v3/chat/completions`, { headers })
  const { error } = (await reply.json()) as Refusal
  assert.deepEqual([reply.status, error.message.endsWith('Use POST.')], [405, true], error.message)
})

for (const list of ['models', 'v1/models', 'v2/models', 'v1beta/models'])
  test(`/v3/${list}/{model}`, async () => {
    const headers = { authorization: `Bearer ${API_KEY}` }
    const reply = await fetch(`${gateway.url}/v3/${list}/opnai/gpt-4o-mini`, { headers })
    assert.equal(reply.status, 404)
    assert.match(await reply.text(), /Did you mean openai\/gpt-4o-mini/)
  })

test('members and queries of the admin API', async () => {
  const named = await admin.post<Refusal>('/admin/keys', { name: 'x', scops: ['chat'] })
  assert.equal(named.body.error.message, 'scops: Extra inputs are not permitted. Did you mean scopes?')
  assert.deepEqual(named.body.detail[0], {
    loc: ['body', 'scops'],
    msg: 'Extra inputs are not permitted',
    type: 'extra_forbidden',
  })
  const asked = await admin.get<Refusal>('/admin/usage?group_bye=key')
  assert.equal(asked.body.error.message, 'group_bye: Extra inputs are not permitted. Did you mean group_by?')
  const unlike = await admin.post<Refusal>('/admin/keys', { name: 'x', zzzzzzzz: 1 })
  assert.equal(unlike.body.error.message, 'zzzzzzzz: Extra inputs are not permitted')
})
