import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModelObject } from '../../../src/contract/models.ts'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import type { Refusal } from '../../gateway/admin-client.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithAliases } from '../../gateway/gateway-with-aliases.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

// Aliases of the config file, wherever a model is named.

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

const { gateway, openai, fake, admin, chat, whole, post, get } = await gatewayWithAliases()

describe('an alias', () => {
  test('has its target first, then the targets of its fallbacks, each with its own default fields', async () => {
    fake.always(failure(500))
    const { completion, headers } = await chat.whole({ model: 'fast', temperature: 0.3, ...HELLO })
    assert.deepEqual([completion.model, headers.get('x-gatehouse-attempts')], ['openai/gpt-4o', '2'])
    const [first, second] = [fake.requests[0]!.body, openai.requests[0]!.body] as Record<string, unknown>[]
    assert.deepEqual([first!.model, first!.top_p, first!.temperature], ['one', undefined, 0.3])
    assert.deepEqual([second!.model, second!.top_p, second!.temperature], ['gpt-4o', 0.5, 0.3])
  })

  test('may have the name of its target, and comes before provider/model', async () => {
    assert.equal((await chat.whole({ model: 'gpt-4o', ...HELLO })).completion.model, 'openai/gpt-4o')
    assert.equal((openai.requests[0]!.body as { seed: number }).seed, 7)
    assert.equal((await chat.whole({ model: 'openai/gpt-5', ...HELLO })).completion.model, 'fake/two')
  })

  test('with a * : the most specific one, after provider/model and before bare names', async () => {
    for (const [name, model] of [
      ['team-one', 'fake/one'],
      ['team-alpha', 'openai/alpha'],
      ['big-eu', 'europe/big'],
      ['fake/x-eu', 'fake/x-eu'],
    ])
      assert.equal((await chat.whole({ model: name, ...HELLO })).completion.model, model)
    assert.equal((await chat.whole({ model: '-eu', ...HELLO })).status, 404)
  })

  test('leaves out targets that this key or this endpoint cannot use, and says why if none is left', async () => {
    for (let time = 0; time < 3; time++)
      assert.equal((await chat.whole({ model: 'partly', ...HELLO })).completion.model, 'europe/y')
    const { key } = await admin.issue({ region: 'eu' })
    assert.equal((await whole('partly', key)).completion.model, 'europe/y')
    assert.deepEqual(codeOf(await whole('second', key)), [451, 'region_not_allowed'])
    assert.deepEqual(codeOf(await chat.whole({ model: 'vectors', ...HELLO })), [400, 'unsupported_endpoint'])
  })

  test('a scope on an alias grants its targets through that alias only', async () => {
    const { key } = await admin.issue({ scopes: ['model:fast', 'model:team-*'] })
    fake.next(failure(500))
    assert.equal((await whole('fast', key)).completion.model, 'openai/gpt-4o')
    assert.equal((await whole('team-one', key)).status, 200)
    for (const model of ['fake/one', 'openai/gpt-4o', 'second', 'weighted', 'one'])
      assert.deepEqual(codeOf(await whole(model, key)), [403, 'not_allowed'], model)
  })

  test('a sandbox key gets a simulated answer, and no provider is called', async () => {
    const { key } = await admin.issue({ kind: 'sandbox' })
    const { completion } = await whole('fast', key)
    assert.deepEqual([completion.provider, completion.cost], ['sandbox', 0])
    assert.deepEqual([openai.requests.length, fake.requests.length], [0, 0])
  })

  test('works wherever a model is named', async () => {
    openai.always(status(200, { data: [{ index: 0, embedding: [1, 2, 3] }], usage: { prompt_tokens: 1 } }))
    assert.equal((await post('/v3/embeddings', { model: 'vectors', input: 'x' })).status, 200)
    assert.equal((openai.requests[0]!.body as { dimensions: number }).dimensions, 3)
    openai.always(status(200, 'bytes', { 'content-type': 'audio/mpeg' }))
    assert.equal((await post('/v3/audio/speech', { model: 'voice', input: 'x', voice: 'alloy' })).status, 200)
    openai.always(status(200, { id: 'm', results: [] }))
    assert.equal((await post('/v3/moderations', { model: 'judge', input: 'x' })).status, 200)
    openai.always(answer({ content: '{"result":"short"}' }))
    for (const [path, body] of [
      ['/v3/v1/messages', { model: 'second', max_tokens: 9, ...HELLO }],
      ['/v3/responses', { model: 'second', input: 'Hello' }],
      ['/v3/v1/messages/count_tokens', { model: 'second', ...HELLO }],
      ['/v3/images/generations', { model: 'picture', prompt: 'A door' }],
      ['/v3/chat/completions', { model: '@service', router_candidates: ['second'], ...HELLO }],
      ['/v3/chat/completions', { model: 'gone/x', fallbacks: ['second'], ...HELLO }],
    ] as const) {
      const { status: code, text } = await post(path, body)
      assert.equal(code, path.includes('chat') && 'fallbacks' in body ? 404 : 200, `${path} ${text}`)
    }
  })

  test('as a candidate of the router, it grants what its scope grants', async () => {
    const { key } = await admin.issue({ scopes: ['model:second'] })
    const body = { model: '@service', router_candidates: ['second'], ...HELLO }
    assert.equal((await post('/v3/chat/completions', body, key)).status, 200)
    const plain = { ...body, router_candidates: ['openai/gpt-4o'] }
    assert.notEqual((await post('/v3/chat/completions', plain, key)).status, 200)
  })

  test('does tasks and jobs behind feature/subfeature', async () => {
    openai.always(answer({ content: '{"result":"short"}' }))
    const body = { model: 'text/summarize/second', input: { text: 'A long text about doors.' } }
    const { status: code, text } = await post('/v3/universal-ai', body)
    assert.equal(code, 200, text)
    assert.equal((openai.requests[0]!.body as { model: string }).model, 'gpt-4o')
    assert.equal((await post('/v3/universal-ai/async', body)).status, 202)
    assert.equal((await post('/v3/universal-ai', { ...body, model: 'text/summarize/gpt-4o-mini' })).status, 200)
    const { key } = await admin.issue({ scopes: ['universal', 'model:second'] })
    assert.equal((await post('/v3/universal-ai', body, key)).status, 200)
    const other = { ...body, model: 'text/summarize/openai/gpt-4o' }
    assert.equal((await post('/v3/universal-ai', other, key)).status, 403)
    assert.equal((await post('/v3/universal-ai', { ...body, model: 'text/summarize/unknown' })).status, 404)
  })

  test('shares calls without a conversation by weight, whatever only checks them in between', async () => {
    const used = new Map<string, number>()
    fake.always(status(200, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } }))
    openai.always(status(200, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } }))
    for (let time = 0; time < 40; time++) {
      const { text } = await post('/v3/universal-ai', { model: 'text/embeddings/pair', input: { texts: ['x'] } })
      await post('/v3/universal-ai/async', { model: 'text/embeddings/pair', input: { texts: ['x'], wrong: 1 } })
      const { provider } = JSON.parse(text) as { provider: string }
      used.set(provider, (used.get(provider) ?? 0) + 1)
    }
    assert.ok(used.get('openai')! > 8 && used.get('azure')! > 8, JSON.stringify([...used]))
  })

  test('shares conversations by weight, and a conversation stays with its target', async () => {
    const counts = new Map<string, number>()
    for (let turn = 0; turn < 80; turn++) {
      const messages = [{ role: 'user', content: `Conversation ${turn}` }]
      const { completion } = await chat.whole({ model: 'weighted', messages })
      counts.set(completion.model, (counts.get(completion.model) ?? 0) + 1)
    }
    for (const content of ['First', 'Second', 'Third', 'Fourth']) {
      const messages = [{ role: 'user', content }]
      const models = new Set<string>()
      for (let turn = 0; turn < 3; turn++) {
        models.add((await chat.whole({ model: 'weighted', messages })).completion.model)
        messages.push({ role: 'assistant', content: `${turn}` }, { role: 'user', content: `${turn}` })
      }
      assert.equal(models.size, 1)
    }
    assert.ok(counts.get('fake/one')! > 45 && counts.get('fake/two')! > 5, JSON.stringify([...counts]))
  })

  test('has the address of its target: a deployment with its version, and an address of its own', async () => {
    const { completion } = await chat.whole({ model: 'deployed', ...HELLO })
    const [request] = fake.requests
    assert.equal(completion.model, 'azure/gpt-4o')
    assert.equal(request!.path, '/v1/openai/deployments/our-own/chat/completions?api-version=2024-10-21')
    assert.deepEqual(
      [request!.headers['api-key'], (request!.body as { model: string }).model],
      ['azure-key', 'our-own'],
    )
    await chat.whole({ model: 'elsewhere', ...HELLO })
    assert.equal(fake.requests[1]!.path, '/v1/other/chat/completions?code=hidden-code')
    assert.equal(openai.requests.length, 0)
  })

  test('uses the credential that its target names, in every conversation', async () => {
    for (let turn = 0; turn < 6; turn++)
      await chat.whole({ model: 'bound', messages: [{ role: 'user', content: `Hello ${turn}` }] })
    assert.deepEqual(new Set(fake.requests.map(({ headers }) => headers.authorization)), new Set(['Bearer second-key']))
  })

  test('is in the lists of models, unless it is hidden', async () => {
    const { data } = (await get('/v3/models')) as { data: ModelObject[] }
    const listed = data.filter(({ alias_of }) => alias_of)
    assert.deepEqual(
      listed.map(({ id }) => id).sort(),
      [
        'bound',
        'deployed',
        'elsewhere',
        'fast',
        'gpt-4o',
        'judge',
        'openai/gpt-5',
        'pair',
        'partly',
        'picture',
        'second',
        'vectors',
      ]
        .concat(['voice', 'weighted'])
        .sort(),
    )
    const second = listed.find(({ id }) => id === 'second')!
    assert.deepEqual([second.alias_of, second.available, second.owned_by], ['openai/gpt-4o', true, 'openai'])
    assert.ok(second.pricing?.input_cost_per_token)
    const weighted = listed.find(({ id }) => id === 'weighted')!
    assert.equal(weighted.pricing, undefined)
    assert.equal(((await get('/v3/models/second')) as ModelObject).alias_of, 'openai/gpt-4o')
    const embeddings = (await get('/v3/embeddings/models')) as { data: ModelObject[] }
    assert.deepEqual(
      embeddings.data.filter(({ alias_of }) => alias_of).map(({ id }) => id),
      ['pair', 'vectors'],
    )
    const { key } = await admin.issue({ scopes: ['models', 'model:second'] })
    const { data: own } = (await get('/v3/models', key)) as { data: ModelObject[] }
    assert.deepEqual(
      own.map(({ id }) => id),
      ['second'],
    )
  })

  test('an image request goes on to the next target and the fallbacks of an alias, with the same image', async () => {
    openai.always(failure(500))
    fake.always(status(200, { created: 1, data: [{ b64_json: PNG.toString('base64') }] }))
    const made = await post('/v3/images/generations', { model: 'drawer', prompt: 'A door' })
    assert.deepEqual([made.status, (JSON.parse(made.text) as { provider: string }).provider], [200, 'fake'])
    assert.equal(openai.requests.length, 1)
    assert.deepEqual(fake.requests[0]!.body, { model: 'drawn', prompt: 'A door', n: 1, quality: 'low' })
    const form = new FormData()
    for (const [name, value] of [
      ['model', 'drawer'],
      ['prompt', 'A window'],
    ])
      form.append(name!, value!)
    form.append('image', new Blob([PNG], { type: 'image/png' }), 'door.png')
    const headers = { authorization: `Bearer ${API_KEY}` }
    const edited = await fetch(`${gateway.url}/v3/images/edits`, { method: 'POST', headers, body: form })
    assert.equal(edited.status, 200, await edited.text())
    const [first, second] = [openai.requests.at(-1)!, fake.requests.at(-1)!]
    for (const { path, text } of [first, second])
      assert.deepEqual([path.endsWith('/images/edits'), text.includes('PNG')], [true, true])
    fake.always(failure(500))
    assert.equal((await post('/v3/images/generations', { model: 'drawer', prompt: 'A door' })).status, 502)
  })

  test('a provider without its credential names what is really missing, also at the address of a target', async () => {
    const cases = [
      ['listed/x', 'listed has no credential here. Set UNSET_A or UNSET_B'],
      ['amazon/amazon.nova-lite-v1:0', 'Amazon Bedrock has no credential here. Set UNSET_AWS'],
      ['unset', 'Amazon Bedrock has no credential here. Set UNSET_AWS'],
      ['keyless/x', 'keyless has no credential here. Set NO_SUCH_KEY'],
    ] as const
    for (const [model, start] of cases) {
      const { status: code, failure: problem } = await whole(model, API_KEY)
      const sentence = `${start} and restart, or add a credential with POST /admin/credentials.`
      assert.deepEqual([code, problem.error.message], [424, sentence])
    }
  })

  test('explain says how a name was resolved, and shows no secret of an address', async () => {
    const { body, text } = await admin.post<Explained>('/admin/explain', {
      model: 'fast',
      fallbacks: ['team-x', 'alpha'],
      ...HELLO,
    })
    assert.deepEqual(body.resolved, [
      { name: 'fast', how: 'alias', alias: 'fast', stands_for: ['fake/one', 'openai/gpt-4o'] },
      { name: 'team-x', how: 'wildcard', alias: 'team-*', stands_for: ['fake/x'] },
      { name: 'alpha', how: 'bare_name', stands_for: ['fake/alpha'] },
    ])
    assert.deepEqual(
      body.targets.map(({ model }) => model),
      ['fake/one', 'openai/gpt-4o', 'fake/x', 'fake/alpha'],
    )
    assert.deepEqual([body.targets[0]!.limits.totalMs, body.targets[1]!.request.body.temperature], [77_000, 0])
    const hidden = await admin.post('/admin/explain', { model: 'elsewhere', ...HELLO })
    const config = await admin.get('/admin/config')
    for (const shown of [text, hidden.text, config.text]) assert.doesNotMatch(shown, /hidden-code/)
  })
})

type Explained = {
  resolved: object[]
  targets: { model: string; limits: { totalMs: number }; request: { body: { temperature?: number } } }[]
}

function codeOf({
  status: code,
  failure: problem,
}: {
  status: number
  failure: Refusal | { error: { code: string } }
}) {
  return [code, problem.error.code]
}
