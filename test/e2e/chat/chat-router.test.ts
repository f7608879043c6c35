import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, failure } from '../../fakes/behaviours.ts'
import { ASK, HELLO } from '../../gateway/chat-client.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { ADMIN_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { chatClient } from '../../gateway/chat-client.ts'

const { chat, openai, fake, gateway } = await gatewayForAll()

const METADATA = { headers: { 'x-gatehouse-metadata': 'enabled' } }
const AMONG = { ...HELLO, model: '@service', router_candidates: ['openai/gpt-4o', 'openai/gpt-4o-mini', 'fake/priced'] }

type Routing = { ranking: { model: string; score: number }[]; eligible: number; considered: number }

test('the router chooses the cheapest of the named models if asked to, and says why', async () => {
  const { status, completion } = await chat.whole({ ...AMONG, routing: { sort: 'cost' } }, METADATA)
  assert.equal(status, 200)
  assert.equal(completion.model, 'openai/gpt-4o-mini')
  const { routing } = completion.gatehouse as { routing: Routing }
  assert.equal(routing.considered, 3)
  assert.equal(routing.ranking[0]!.model, completion.model)
  const sent = openai.requests[0]!.body as Record<string, unknown>
  for (const field of ['router_candidates', 'routing']) assert.ok(!(field in sent), field)
})

test('it falls back down its own ranking, whole and streamed', async () => {
  openai.always(failure(500))
  fake.always(answer())
  const { status, completion, headers } = await chat.whole({ ...AMONG, routing: { sort: 'cost' } })
  assert.deepEqual([status, completion.model], [200, 'fake/priced'])
  assert.ok(Number(headers.get('x-gatehouse-attempts')) >= 2)
})

test('no candidate left is a 422 that says why, an unknown candidate too', async () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  for (const body of [
    { router_candidates: [] },
    { router_candidates: ['unknown/x'] },
    { routing: { allowed_providers: ['groq'] } },
    {
      router_candidates: ['fake/priced'],
      tools,
      messages: [{ role: 'user', content: 'x'.repeat(40) }],
      routing: { allowed_providers: ['openai'] },
    },
  ]) {
    const { status, failure } = await chat.whole({ ...AMONG, ...body })
    assert.equal(status, 422, JSON.stringify(failure))
    assert.equal(failure.error.code, 'validation_error')
    assert.ok(failure.error.message.length > 20)
  }
  assert.deepEqual([openai.requests.length, fake.requests.length], [0, 0])
})

test('with no provider set up, the router finds the sandbox', async (t) => {
  const bare = await startGateway()
  t.after(() => bare.close())
  const { status, completion } = await chatClient(bare.url).whole({ ...HELLO, model: '@service' })
  assert.deepEqual([status, completion.provider], [200, 'sandbox'])
})

function explain(body: object): Promise<Response> {
  return fetch(`${gateway.adminUrl}/admin/explain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

test('a dry run refuses what a chat refuses', async () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`field${at}`, 1]))
  for (const extra_body of [{ model: 'openai/o3' }, many]) {
    const answers = [await explain({ ...ASK, extra_body }), await chat.post({ ...ASK, extra_body })]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [422, 422],
    )
  }
})

test('the operator sees what would happen, and no provider is called', async () => {
  const body = { ...ASK, fallbacks: ['fake/priced'], max_tokens: 5, pre_hooks: [] }
  const explained = await explain(body)
  assert.equal(explained.status, 200)
  const text = await explained.text()
  const { targets } = JSON.parse(text) as {
    targets: {
      model: string
      request: { body: Record<string, unknown> }
      notes: { field: string }[]
      estimated_cost: number
    }[]
  }
  assert.deepEqual(
    targets.map(({ model }) => model),
    ['openai/gpt-4o-mini', 'fake/priced'],
  )
  assert.equal(targets[0]!.request.body.max_completion_tokens, 5)
  assert.deepEqual(
    targets[0]!.notes.map(({ field }) => field),
    ['max_tokens'],
  )
  assert.ok(targets.every(({ estimated_cost }) => estimated_cost > 0))
  assert.ok(!text.includes('sk-test') && !text.includes('plain.words'))
  assert.deepEqual([openai.requests.length, fake.requests.length], [0, 0])
})

test('the operator sees providers with masked keys, and what was observed', async () => {
  await chat.whole(ASK)
  const reply = await fetch(`${gateway.adminUrl}/admin/targets`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  const text = await reply.text()
  const { providers, observed } = JSON.parse(text) as {
    providers: { id: string; credentials: { ends_with: string | null }[] }[]
    observed: { model: string; samples: number }[]
  }
  assert.deepEqual(providers.find(({ id }) => id === 'openai')!.credentials, [
    { index: 0, name: 'OPENAI_API_KEY', ends_with: 'ghij', weight: 1 },
  ])
  assert.ok(observed.some(({ model, samples }) => model === 'openai/gpt-4o-mini' && samples >= 1))
  assert.ok(!text.includes('sk-test'))
})
