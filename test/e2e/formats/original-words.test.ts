import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'

// Programs that were written for the hosted original write its words. They have the effect of ours.

const host = (price: number) => ({
  dialect: 'openai',
  auth: { scheme: 'none' },
  models: [{ id: 'shared', price: { input: price, output: price } }],
})
const { gateway, provider, chat } = await gatewayWithRows(
  { one: host(1), two: { ...host(2), regions: ['global', 'eu'] } },
  { aliases: { fast: { targets: [{ model: 'one/shared' }] } } },
)

type Metadata = {
  requested: string
  strategy: string
  region: string
  summary: string
  attempt: number
  is_byok: boolean
  endpoints: { total: number; available: { provider: string; model: string; primary: boolean; reachable: boolean }[] }
  attempts: { provider: string; model: string; status: number | null; region: string }[]
  tags: Record<string, string>
  auto?: { selection: string; chosen: string; dropped: string[]; quality_cost: number } | null
  mode?: string
}
type WithMetadata = { edenai_metadata: Metadata }

const METADATA = { 'x-edenai-metadata': 'Enabled' }

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const own = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers }
  const response = await fetch(gateway.url + path, { method: 'POST', headers: own, body: JSON.stringify(body) })
  return { code: response.status, headers: response.headers, text: await response.text() }
}

/** The tags of the latest call. */
async function latestTags(): Promise<unknown> {
  const { ledger } = gateway.gateway.services.calls
  await ledger.flush()
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const reply = await fetch(`${gateway.adminUrl}/admin/requests?limit=1`, { headers })
  return ((await reply.json()) as { items: { tags: unknown }[] }).items[0]!.tags
}

describe('the router value @edenai', () => {
  test('is @service, and the metadata says how it has chosen', async () => {
    provider.always(answer())
    const body = {
      ...HELLO,
      model: '@edenai',
      router_candidates: ['one/shared', 'two/shared', 'nowhere/x'],
      routing: { quality_cost: 10 },
    }
    const { completion, status: code, text } = await chat.whole(body, { headers: METADATA })
    assert.equal(code, 200, text)
    const { strategy, auto } = (completion as unknown as WithMetadata).edenai_metadata
    assert.deepEqual(
      [strategy, auto!.selection, auto!.chosen, auto!.quality_cost],
      ['auto', 'ranked', 'one/shared', 10],
    )
    assert.deepEqual(auto!.dropped, ['nowhere/x'])
  })

  test('names every candidate that was dropped, and no others', async () => {
    provider.always(answer())
    const unknown = Array.from({ length: 12 }, (_, index) => `nowhere/${index}`)
    for (const [router_candidates, dropped] of [
      [[...unknown, 'one/shared'], unknown],
      [undefined, []],
    ] as const) {
      const { completion } = await chat.whole({ ...HELLO, model: '@edenai', router_candidates }, { headers: METADATA })
      assert.deepEqual((completion as unknown as WithMetadata).edenai_metadata.auto!.dropped, dropped)
    }
  })
})

describe('x-edenai-metadata', () => {
  test('adds one object, and any other value is off', async () => {
    provider.always(answer())
    for (const value of ['disabled', 'yes', '']) {
      const { completion } = await chat.whole({ ...HELLO, model: 'fast' }, { headers: { 'x-edenai-metadata': value } })
      assert.ok(!('edenai_metadata' in completion) && !('gatehouse' in completion), value)
    }
    const { completion } = await chat.whole({ ...HELLO, model: 'one/shared' }, { headers: METADATA })
    assert.ok(!('gatehouse' in completion))
    assert.deepEqual((completion as unknown as WithMetadata).edenai_metadata, {
      requested: 'one/shared',
      strategy: 'direct',
      region: 'global',
      summary: 'available=1, served=one/shared',
      attempt: 1,
      is_byok: true,
      endpoints: {
        total: 1,
        available: [{ provider: 'one', model: 'one/shared', primary: true, reachable: true }],
      },
      attempts: [{ provider: 'one', model: 'one/shared', status: 200, region: 'global' }],
      tags: {},
      auto: null,
    })
  })

  test('says in which region each attempt was made', async () => {
    provider.next(failure(500))
    provider.always(answer())
    const body = { ...HELLO, model: 'one/shared', fallbacks: ['shared@eu'], routing: { retries: 0 } }
    const { completion } = await chat.whole(body, { headers: METADATA })
    const { region, attempts } = (completion as unknown as WithMetadata).edenai_metadata
    assert.deepEqual(
      [region, attempts.map((attempt) => [attempt.model, attempt.region])],
      [
        'eu',
        [
          ['one/shared', 'global'],
          ['two/shared', 'eu'],
        ],
      ],
    )
    const task = { model: 'text/moderation/sandbox@eu', input: { text: 'Hi' } }
    const { text } = await post('/v3/universal-ai', task, METADATA)
    assert.equal((JSON.parse(text) as WithMetadata).edenai_metadata.region, 'eu')
  })

  test('says how a name was understood, and what was tried before', async () => {
    provider.next(failure(500))
    provider.always(answer())
    const { completion } = await chat.whole({ ...HELLO, model: 'shared:cost' }, { headers: METADATA })
    const { strategy, endpoints, attempts, attempt, summary } = (completion as unknown as WithMetadata).edenai_metadata
    assert.deepEqual([strategy, endpoints.total, attempt, summary], ['routed', 2, 2, 'available=2, served=two/shared'])
    assert.deepEqual(
      attempts.map(({ model, status: code }) => [model, code]),
      [
        ['one/shared', 500],
        ['two/shared', 200],
      ],
    )
    const { completion: aliased } = await chat.whole({ ...HELLO, model: 'fast' }, { headers: METADATA })
    assert.equal((aliased as unknown as WithMetadata).edenai_metadata.strategy, 'alias')
  })

  test('rides the first chunk of a stream, in every format of the original', async () => {
    for (const [path, body, read] of [
      ['/v3/chat/completions', { ...HELLO }, (event: Record<string, unknown>) => event],
      ['/v3/v1/messages', { ...HELLO, max_tokens: 9 }, (event: Record<string, unknown>) => event.message],
      ['/v3/responses', { input: 'Hello' }, (event: Record<string, unknown>) => event.response],
    ] as const) {
      provider.always(stream(textEvents('Hello')))
      const { text } = await post(path, { model: 'one/shared', stream: true, ...body }, METADATA)
      const data = /^data: (.*)$/m.exec(text)![1]!
      const first = read(JSON.parse(data) as Record<string, unknown>) as WithMetadata
      assert.equal(first.edenai_metadata?.summary, 'available=1, served=one/shared', `${path} ${text}`)
      provider.always(answer())
      const whole = await post(path, { model: 'one/shared', ...body }, METADATA)
      assert.equal((JSON.parse(whole.text) as WithMetadata).edenai_metadata.strategy, 'direct', path)
    }
  })

  test('a task has no endpoints, and says its mode', async () => {
    const body = { model: 'text/moderation/sandbox', input: { text: 'Hi' } }
    const { text } = await post('/v3/universal-ai', body, METADATA)
    const { mode, strategy, endpoints } = (JSON.parse(text) as WithMetadata).edenai_metadata
    assert.deepEqual([mode, strategy, endpoints], ['sync', undefined, undefined])
  })
})

describe('tags', () => {
  test('have the same effect in each spelling, and no provider gets them', async () => {
    const tagged: [Record<string, string>, object][] = [
      [{ 'x-gatehouse-tags': 'team=search,env=prod' }, {}],
      [{ 'x-edenai-tags': 'Team=search, env=prod' }, {}],
      [{}, { tags: { team: 'search', Env: 'prod' } }],
      [{ 'x-edenai-tags': 'team=other,env=prod' }, { tags: { team: 'search' } }],
    ]
    for (const [headers, body] of tagged) {
      provider.reset()
      provider.always(answer())
      const { code, text } = await post('/v3/chat/completions', { ...HELLO, model: 'one/shared', ...body }, headers)
      assert.equal(code, 200, text)
      assert.deepEqual(await latestTags(), { team: 'search', env: 'prod' }, JSON.stringify([headers, body]))
      assert.deepEqual(provider.requests[0]!.body, { model: 'shared', messages: HELLO.messages })
    }
  })

  test('are taken on every endpoint, and are in the metadata', async () => {
    const tags = { team: 'search' }
    const { text } = await post(
      '/v3/universal-ai',
      { model: 'text/moderation/sandbox', input: { text: 'Hi' }, tags },
      METADATA,
    )
    assert.deepEqual((JSON.parse(text) as WithMetadata).edenai_metadata.tags, tags)
    assert.deepEqual(await latestTags(), tags)
    const searched = await post('/v3/search', { model: 'sandbox', query: 'Alps', tags })
    assert.equal(searched.code, 200, searched.text)
    assert.deepEqual(await latestTags(), tags)
  })

  test('that cannot be read are refused, and what is no object is not taken for tags', async () => {
    const long = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`t${index}`, 'x']))
    for (const tags of [{ 'a b': 'x' }, { a: 1 }, { a: '' }, { a: { b: 'c' } }, { a: 'x'.repeat(300) }, long])
      assert.equal((await post('/v3/chat/completions', { ...HELLO, model: 'one/shared', tags })).code, 422)
    const header = await post('/v3/chat/completions', { ...HELLO, model: 'one/shared' }, { 'x-edenai-tags': 'a' })
    assert.equal(header.code, 422)
    assert.match(header.text, /x-edenai-tags/)
    provider.always(answer())
    assert.equal((await post('/v3/chat/completions', { ...HELLO, model: 'one/shared', tags: 'a' })).code, 200)
  })
})

describe('headers of answers', () => {
  test('of a search are there in both spellings, and chats have only ours', async () => {
    const { headers } = await post('/v3/search', { model: 'sandbox', query: 'Alps' })
    for (const name of ['provider', 'cost'])
      assert.equal(headers.get(`x-edenai-${name}`), headers.get(`x-gatehouse-${name}`), name)
    assert.deepEqual([headers.get('x-edenai-provider'), headers.get('x-edenai-cost')], ['sandbox', '0'])
    provider.always(answer())
    const { headers: ofChat } = await post('/v3/chat/completions', { ...HELLO, model: 'one/shared' })
    assert.equal(ofChat.get('x-edenai-provider'), null)
    provider.always(status(200, {}))
  })
})

describe('lists of models', () => {
  test('have the view of the original, and its words for capabilities', async () => {
    const headers = { authorization: `Bearer ${API_KEY}` }
    for (const path of ['/v3/models', '/v3/embeddings/models', '/v3/images/models', '/v3/audio/speech/models']) {
      const reply = await fetch(`${gateway.url}${path}?view=models&all=true`, { headers })
      const { data } = (await reply.json()) as {
        data: { endpoint_count: number; endpoints: { capabilities: object }[] }[]
      }
      assert.ok(
        data.length > 0 && data.every(({ endpoints, endpoint_count }) => endpoints.length === endpoint_count),
        path,
      )
      for (const name of WORDS) assert.ok(Object.hasOwn(data[0]!.endpoints[0]!.capabilities, `supports_${name}`), name)
    }
  })

  const WORDS = [
    ...[
      'reasoning',
      'web_search',
      'tool_choice',
      'computer_use',
      'prompt_caching',
      'response_schema',
      'system_messages',
    ],
    ...[
      'function_calling',
      'native_streaming',
      'assistant_prefill',
      'embedding_image_input',
      'parallel_function_calling',
    ],
  ]
})
