import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer, failure, silence } from '../../fakes/behaviours.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'

// What clients of LiteLLM, OpenRouter and Portkey write about who answers: understood where the gateway has the thing, noted where
// it has not, and never sent to a provider.

type Fields = Record<string, unknown>
type Note = { field: string; action: string }

const MESSAGES = [{ role: 'user', content: 'Hello' }]
/** Every format of a chat: its path, and its body for a model. */
const FORMATS: Record<string, (model: string) => [path: string, body: Fields]> = {
  chat: (model) => ['/v3/chat/completions', { model, messages: MESSAGES }],
  messages: (model) => ['/v3/v1/messages', { model, max_tokens: 9, messages: MESSAGES }],
  responses: (model) => ['/v3/responses', { model, input: 'Hello', store: false }],
  completions: (model) => ['/v3/completions', { model, prompt: 'Hello' }],
  gemini: (model) => [`/v3/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: 'Hello' }] }] }],
  cohere: (model) => ['/v3/v2/chat', { model, messages: MESSAGES }],
}

describe('what clients of other gateways say about who answers', async () => {
  const rows = {
    one: { dialect: 'openai' },
    two: { dialect: 'openai' },
    open: { dialect: 'openai', allowFields: ['provider', 'models', 'timeout', 'tags'] },
    openrouter: {},
  }
  const { gateway, provider } = await gatewayWithRows(rows, { dataPolicies: { two: 'zero_retention' } })

  async function ask(format: string, model: string, fields: Fields, headers: Record<string, string> = {}) {
    const [path, body] = FORMATS[format]!(model)
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}`, ...headers },
      body: JSON.stringify({ ...body, ...fields }),
    })
    const text = await response.text()
    const dropped = response.headers.get('x-gatehouse-dropped-fields')?.split(', ') ?? []
    return { status: response.status, text, dropped, answeredBy: response.headers.get('x-gatehouse-model') }
  }

  async function notesOf(model: string, fields: Fields): Promise<string[]> {
    const { text } = await ask('chat', model, fields, { 'x-gatehouse-metadata': 'enabled' })
    const { gatehouse } = JSON.parse(text) as { gatehouse?: { notes?: Note[] } }
    return (gatehouse?.notes ?? []).map(({ field, action }) => `${action} ${field}`).sort()
  }

  const FALLBACKS: [fields: Fields, dropped: string[]][] = [
    [{ fallbacks: ['two/b'] }, []],
    [{ fallbacks: [{ model: 'two/b' }] }, []],
    [{ fallbacks: [{ model: 'two/b', messages: MESSAGES }] }, ['fallbacks.messages']],
    [{ fallbacks: [{ 'one/a': ['two/b'] }] }, []],
    [{ fallbacks: [{ a: ['two/b'] }, { 'x/y': ['one/c'] }] }, ['fallbacks']],
    [{ fallbacks: [{ '*': ['two/b'] }] }, []],
    [{ fallbacks: [{ '*': ['one/c'] }, { 'one/a': [{ model: 'two/b', max_tokens: 5 }] }] }, ['fallbacks.max_tokens']],
    [{ models: ['one/a', 'two/b'] }, []],
    [{ models: ['two/b'], route: 'fallback' }, []],
    [{ models: ['two/b', 'one/c', 'one/d', 'one/e'] }, ['models']],
    [{ models: ['one/c'], fallbacks: ['two/b'] }, ['models']],
  ]
  for (const format of Object.keys(FORMATS))
    test(`${format}: the fallbacks of other gateways are tried`, async () => {
      for (const [fields, dropped] of FALLBACKS) {
        provider.reset()
        provider.next(failure(401))
        provider.always(answer())
        const said = await ask(format, 'one/a', fields)
        assert.deepEqual(
          [said.status, said.answeredBy, said.dropped],
          [200, 'two/b', dropped],
          `${JSON.stringify(fields)} ${said.text}`,
        )
        const sent = provider.requests.at(-1)!.body as Fields
        for (const name of ['fallbacks', 'models', 'route']) assert.ok(!Object.hasOwn(sent, name), name)
      }
    })

  test('a list of models without a model: the first one is asked', async () => {
    provider.always(answer())
    const { answeredBy } = await ask('chat', 'x', { model: undefined, models: ['one/a', 'two/b'] })
    assert.equal(answeredBy, 'one/a')
  })

  test('a list of models has the checks of ours: a name that means nothing is refused', async () => {
    assert.equal((await ask('chat', 'one/a', { models: ['nowhere/b'] })).status, 404)
    assert.equal((await ask('chat', 'one/a', { fallbacks: [5] })).status, 422)
    assert.equal((await ask('chat', 'one/a', { fallbacks: [{ 'one/a': [5] }] })).status, 422)
    assert.equal((await ask('chat', 'one/a', { fallbacks: ['one/b', 'one/c', 'one/d', 'one/e'] })).status, 422)
    assert.equal(provider.requests.length, 0)
  })

  /** For `one/a`: whether it is asked, and what is noted. */
  const PREFERENCES: [provider: Fields, status: number, notes: string[]][] = [
    [{ only: ['one', 'Nowhere'] }, 200, ['translated provider.only']],
    [{ only: ['ONE/fp8'] }, 200, ['translated provider.only']],
    [{ only: ['two'] }, 422, []],
    [{ only: ['nowhere'] }, 422, []],
    [{ ignore: ['one'] }, 422, []],
    [{ ignore: ['two', 'nowhere'] }, 200, ['translated provider.ignore']],
    [{ order: ['two'], allow_fallbacks: false }, 422, []],
    [{ order: ['one'], allow_fallbacks: false }, 200, ['translated provider.order']],
    [{ order: ['two'] }, 200, ['dropped provider.order']],
    [{ order: [], allow_fallbacks: true, require_parameters: false, data_collection: 'allow', zdr: false }, 200, []],
    [{ zdr: true }, 422, []],
    [{ data_collection: 'deny' }, 422, []],
    [{ sort: 'price', max_price: { prompt: 1 } }, 200, ['dropped provider.max_price', 'translated provider.sort']],
    [{ require_parameters: true }, 200, ['dropped provider.require_parameters']],
    [{ allow_fallbacks: false }, 200, ['translated provider.allow_fallbacks']],
  ]
  for (const [preferences, status, notes] of PREFERENCES)
    test(`OpenRouter's provider: ${JSON.stringify(preferences)}`, async () => {
      provider.always(answer())
      for (const format of Object.keys(FORMATS)) {
        const said = await ask(format, 'one/a', { provider: preferences })
        assert.equal(said.status, status, `${format} ${said.text}`)
        if (status === 422) assert.match(said.text, /provider\.\w+/, format)
      }
      if (status === 200) assert.deepEqual(await notesOf('one/a', { provider: preferences }), notes)
      for (const { body } of provider.requests) assert.ok(!Object.hasOwn(body as Fields, 'provider'))
      assert.equal(provider.requests.length > 0, status === 200)
    })

  test('a promise about the data allows the providers that are known to keep it', async () => {
    provider.always(answer())
    for (const preferences of [{ zdr: true }, { data_collection: 'deny' }, { zdr: true, only: ['two', 'one'] }])
      assert.equal((await ask('chat', 'two/b', { provider: preferences })).status, 200)
    const both = { provider: { ignore: ['one'] }, routing: { allowed_providers: ['one'] } }
    assert.equal((await ask('chat', 'two/b', both)).status, 422)
  })

  test('headers for other gateways are named among what was dropped', async () => {
    provider.always(answer())
    const headers = { 'x-litellm-tags': 'a,b', 'x-portkey-config': 'pc-1', 'x-litellm-timeout': 'soon' }
    for (const format of Object.keys(FORMATS)) {
      const { status, dropped } = await ask(format, 'one/a', {}, headers)
      assert.deepEqual([status, dropped.toSorted()], [200, Object.keys(headers).toSorted()], format)
    }
    for (const name of Object.keys(headers)) assert.equal(provider.requests.at(-1)!.headers[name], undefined)
  })

  test("LiteLLM's header of a time limit is one, and ours is refused if it is none", async () => {
    provider.always(silence())
    const { status, dropped } = await ask('chat', 'one/a', {}, { 'x-litellm-timeout': '0.05' })
    assert.deepEqual([status, dropped], [504, []])
    provider.always(answer())
    for (const limit of ['abc', '0', '5.5', '-1', '60s'])
      assert.equal((await ask('chat', 'one/a', {}, { 'x-gatehouse-timeout-ms': limit })).status, 422, limit)
  })

  test("LiteLLM's guardrails are refused, and not left out", async () => {
    provider.always(answer())
    for (const format of Object.keys(FORMATS)) {
      for (const guardrails of [['pii'], [{ pii: { extra_body: {} } }]]) {
        const { status, text } = await ask(format, 'one/a', { guardrails })
        assert.equal(status, 422, format)
        assert.match(text, /pre_hooks/)
      }
      assert.equal(provider.requests.length, 0, format)
      assert.equal((await ask(format, 'one/a', { guardrails: [] })).status, 200, format)
      assert.ok(!Object.hasOwn(provider.requests.at(-1)!.body as Fields, 'guardrails'), format)
      provider.requests.length = 0
    }
  })

  test('an object of that name is the setting of a provider', async () => {
    provider.always(answer())
    assert.equal((await ask('chat', 'one/a', { guardrails: { enabled: true } })).status, 200)
    assert.deepEqual((provider.requests.at(-1)!.body as Fields).guardrails, { enabled: true })
  })

  test('the router sorts as asked', async () => {
    provider.always(answer())
    const fields = { router_candidates: ['one/a', 'two/b'], provider: { sort: 'price', only: ['two'] } }
    const { status, text, answeredBy } = await ask('chat', '@service', fields)
    assert.deepEqual([status, answeredBy], [200, 'two/b'], text)
  })

  test('a provider that has such fields of its own gets them', async () => {
    provider.always(answer())
    const fields = { provider: { only: ['azure'], zdr: true }, models: ['x'], timeout: 5, tags: ['a'] }
    assert.equal((await ask('chat', 'open/a', fields)).status, 200)
    const { provider: sent, models, timeout, tags } = provider.requests.at(-1)!.body as Fields
    assert.deepEqual({ provider: sent, models, timeout, tags }, fields)
    const { status, dropped } = await ask('chat', 'openrouter/x/y', { provider: fields.provider })
    assert.deepEqual([status, dropped], [200, ['provider']])
    assert.deepEqual((provider.requests.at(-1)!.body as Fields).provider, { zdr: true })
  })

  test('LiteLLM’s time limit ends the call', async () => {
    // On a busy machine the time may be over before the provider is asked at all.
    provider.always(silence())
    for (const format of Object.keys(FORMATS))
      for (const field of ['timeout', 'request_timeout']) {
        const { status, text } = await ask(format, 'one/a', { [field]: 0.05 })
        assert.equal(status, 504, `${format} ${text}`)
      }
    provider.always(answer())
    assert.deepEqual(await notesOf('one/a', { timeout: 600 }), ['translated timeout'])
    assert.deepEqual(await notesOf('one/a', { timeout: 'long' }), ['dropped timeout'])
  })

  test('LiteLLM’s number of retries counts in every format', async () => {
    for (const format of Object.keys(FORMATS)) {
      provider.reset()
      provider.always(failure(500))
      await ask(format, 'one/a', { num_retries: 0 })
      assert.equal(provider.requests.length, 1, format)
    }
  })

  test('LiteLLM’s tags are tags of the call, and no provider gets them', async () => {
    for (const [index, format] of Object.keys(FORMATS).entries()) {
      provider.reset()
      provider.always(answer())
      const name = format === 'gemini' ? 'labels' : 'metadata'
      const fields = { tags: [`top${index}`], [name]: { tags: [`inner${index}`, 'shared'], team: 'search' } }
      const { status, text } = await ask(format, 'one/a', fields)
      assert.equal(status, 200, `${format} ${text}`)
      const sent = JSON.stringify(provider.requests.at(-1)!.body)
      assert.ok(!/tags|inner|shared/.test(sent), sent)
    }
    const lines = await tagged()
    for (const index of Object.keys(FORMATS).keys())
      assert.ok(
        lines.some(
          (tags) => tags[`top${index}`] === 'true' && tags[`inner${index}`] === 'true' && tags.team === 'search',
        ),
        `${index} ${JSON.stringify(lines)}`,
      )
    assert.deepEqual(await notesOf('one/a', { tags: ['x'.repeat(65)] }), ['dropped tags', 'translated tags'])
  })

  /** The tags of the latest calls. */
  async function tagged(): Promise<Record<string, string>[]> {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const response = await fetch(`${gateway.adminUrl}/admin/requests?limit=50`, { headers })
    const { items } = (await response.json()) as { items: { tags?: Record<string, string> | null }[] }
    return items.flatMap(({ tags }) => (tags ? [tags] : []))
  }
})
