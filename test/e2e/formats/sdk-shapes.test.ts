import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const CATEGORIES = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm'],
  ...['self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence', 'violence/graphic'],
]

/** What the tests of the SDKs themselves found (`npm run sdk-suites`). */
describe('requests and answers as the SDKs of OpenAI and Anthropic expect them', () => {
  let gateway: GatewayUnderTest
  let sandbox: TaskClient
  before(async () => {
    gateway = await startGateway()
    const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
    sandbox = taskClient(gateway.url, key)
  })
  after(() => gateway?.close())

  test('a moderation needs no model, and the sandbox judges all categories', async () => {
    type Result = Record<'categories' | 'category_scores' | 'category_applied_input_types', Record<string, unknown>>
    const { status, body } = await sandbox.post<{ results: Result[] }>('/v3/moderations', { input: 'Hello' })
    assert.equal(status, 200)
    const [result] = body.results
    for (const member of ['categories', 'category_scores', 'category_applied_input_types'] as const)
      assert.deepEqual(Object.keys(result![member]).toSorted(), CATEGORIES.toSorted(), member)
    const image = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]
    const ofImage = (await sandbox.post<{ results: Result[] }>('/v3/moderations', { input: image })).body.results[0]!
    assert.deepEqual(ofImage.category_applied_input_types.violence, ['image'])
    assert.deepEqual(ofImage.category_applied_input_types.hate, [])
  })

  test('a compacted response of the sandbox has the details of its usage', async () => {
    type Compacted = { usage: Record<string, unknown> }
    const { body } = await sandbox.post<Compacted>('/v3/responses/compact', { model: 'openai/gpt-5.1', input: 'Hi' })
    assert.deepEqual(body.usage.input_tokens_details, { cached_tokens: 0 })
    assert.deepEqual(body.usage.output_tokens_details, { reasoning_tokens: 0 })
  })

  test('clients of Mistral get models of the type that they know, and others that of Anthropic', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
    const typesFor = async (client: string) => {
      const headers = { authorization: `Bearer ${key}`, 'user-agent': client }
      const get = async (path: string) => await (await fetch(gateway.url + path, { headers })).json()
      const { data } = (await get('/v3/v1/models')) as { data: { type: string }[] }
      const { data: page } = (await get('/v3/v1/models?limit=2')) as { data: { type: string }[] }
      const one = (await get('/v3/v1/models/sandbox/echo')) as { type: string }
      return [...new Set([...data, ...page, one].map(({ type }) => type))]
    }
    assert.deepEqual(await typesFor('mistral-client-python/3.7.0'), ['base'])
    assert.deepEqual(await typesFor('OpenAI/Python 3.51.0'), ['model'])
  })

  test('a completion may choose the best of none, which is the default', async () => {
    const { status, text } = await sandbox.post('/v3/completions', { model: 'sandbox/echo', prompt: 'Hi', best_of: 0 })
    assert.equal(status, 200, text)
  })

  test("Anthropic's own fallbacks name models to try; what else they say is dropped and noted", async () => {
    const ask = { model: 'sandbox/error-500', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }
    const post = (model: string, fallbacks: unknown) =>
      sandbox.post<{ model: string }>('/v3/v1/messages', { ...ask, model, fallbacks })
    const byDefault = await post('sandbox/echo', 'default')
    assert.equal(byDefault.status, 200, byDefault.text)
    assert.match(byDefault.headers.get('x-gatehouse-dropped-fields') ?? '', /fallbacks/)
    const named = await post('sandbox/echo', [{ model: 'sandbox/echo', max_tokens: 3 }])
    assert.equal(named.status, 200, named.text)
    assert.match(named.headers.get('x-gatehouse-dropped-fields') ?? '', /fallbacks\.max_tokens/)
    for (const wrong of [[{ model: 'no/such-model' }], ['no/such-model'], 'other'])
      assert.equal((await post('sandbox/echo', wrong)).status, 404, JSON.stringify(wrong))
    for (const wrong of [[{}], [1], Array(4).fill('sandbox/echo')])
      assert.equal((await post('sandbox/echo', wrong)).status, 422, JSON.stringify(wrong))
  })
})
