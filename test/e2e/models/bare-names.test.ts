import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModelObject } from '../../../src/contract/models.ts'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'

// A name without a provider stands for all hosts of the model. What the request, or the end of the name, says about the choice.

const host = (price: number | null, more: object = {}) => ({
  dialect: 'openai',
  auth: { scheme: 'none' },
  models: [{ id: 'shared', ...(price !== null && { price: { input: price, output: price } }) }],
  ...more,
})
const { gateway, provider, chat } = await gatewayWithRows(
  {
    cheap: host(1),
    dear: host(2, { regions: ['global', 'eu'] }),
    unpriced: host(null),
    tagged: { ...host(3), models: [{ id: 'tag:cost', price: { input: 9, output: 9 } }, { id: 'tag' }] },
  },
  {
    aliases: {
      near: { targets: [{ model: 'shared@eu' }], fallbacks: ['cheap/shared@eu', 'shared:cost'] },
      pinned: { targets: [{ model: 'shared' }] },
      both: { targets: [{ model: 'cheap/shared' }, { model: 'dear/shared' }] },
    },
  },
)
const admin = adminClient(gateway.adminUrl)
const METADATA = { 'x-gatehouse-metadata': 'enabled' }

/** A conversation of its own. */
const conversation = (name: string) => ({ messages: [{ role: 'user', content: name }] })

async function answeredBy(body: object, headers: Record<string, string> = {}): Promise<string> {
  const { status: code, completion, text } = await chat.whole({ ...HELLO, model: 'shared', ...body }, { headers })
  assert.equal(code, 200, text)
  return completion.model
}

async function countsOf(bodyOf: (index: number) => object, calls = 60): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let index = 0; index < calls; index++) {
    const model = await answeredBy(bodyOf(index))
    counts[model] = (counts[model] ?? 0) + 1
  }
  return counts
}

describe('a name without a provider', () => {
  test('is shared by the hosts by price: the cheaper one has more, and one without a known price comes last', async () => {
    provider.always(answer())
    const {
      'cheap/shared': cheap = 0,
      'dear/shared': dear = 0,
      ...others
    } = await countsOf((index) => conversation(`conversation ${index}`))
    assert.deepEqual(others, {})
    assert.ok(dear > 0 && cheap > 2 * dear, `${cheap} ${dear}`)
  })

  test('keeps a conversation at one host, until it is told not to', async () => {
    provider.always(answer())
    for (const name of ['one', 'two', 'three', 'four'])
      assert.equal(Object.keys(await countsOf(() => conversation(name), 5)).length, 1, name)
    const spread = await countsOf(() => ({ ...conversation('one'), routing: { sticky: false } }))
    assert.deepEqual(Object.keys(spread).sort(), ['cheap/shared', 'dear/shared'])
  })

  test('asks another host if the first one fails, unless that is not wanted', async () => {
    for (const routing of [{}, { sort: 'cost' }]) {
      provider.reset()
      provider.next(failure(500))
      provider.always(answer())
      assert.equal((await chat.whole({ ...HELLO, model: 'shared', routing })).status, 200)
      assert.equal(provider.requests.length, 2)
    }
    const alone = { model: 'shared', routing: { allow_fallbacks: false, retries: 0 } }
    provider.reset()
    provider.always(failure(500))
    assert.equal((await chat.whole({ ...HELLO, ...alone })).status, 502)
    assert.equal(provider.requests.length, 1)
    assert.equal((await chat.whole({ ...HELLO, ...alone, fallbacks: ['cheap/shared'] })).status, 502)
    assert.equal(provider.requests.length, 3)
  })

  test('has hosts that fail last, and does not lose them', async () => {
    // Whose calls fail is told to that caller alone.
    const { key } = await admin.issue({})
    const headers = { authorization: `Bearer ${key}` }
    provider.always(failure(500))
    const failing = { ...HELLO, model: 'cheap/shared', routing: { retries: 0 } }
    for (let count = 0; count < 5; count++) await chat.whole(failing, { headers })
    provider.reset()
    provider.always(answer())
    assert.equal(await answeredBy({ routing: { sort: 'cost' } }, headers), 'dear/shared')
    assert.equal(
      await answeredBy({ routing: { allowed_providers: ['unpriced', 'cheap'] } }, headers),
      'unpriced/shared',
    )
    assert.equal(await answeredBy({ routing: { sort: 'cost' } }), 'cheap/shared')
  })

  test('means hosts that the key may use', async () => {
    provider.always(answer())
    const { key } = await admin.issue({ scopes: ['model:dear/*'] })
    const headers = { authorization: `Bearer ${key}` }
    assert.equal(await answeredBy({}, headers), 'dear/shared')
    const { key: european } = await admin.issue({ region: 'eu' })
    assert.equal(await answeredBy({}, { authorization: `Bearer ${european}` }), 'dear/shared')
  })

  test('is one host in an alias', async () => {
    provider.always(answer())
    assert.deepEqual(Object.keys(await countsOf((index) => ({ ...conversation(`${index}`), model: 'pinned' }), 12)), [
      'cheap/shared',
    ])
  })

  test('of a model of another endpoint may end with a wish, too', async () => {
    provider.always(status(200, { data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 1 } }))
    for (const model of [
      'text-embedding-3-small',
      'text-embedding-3-small:latency',
      'openai/text-embedding-3-small@global',
    ]) {
      const response = await embed(model)
      assert.deepEqual(
        [response.status, response.headers.get('x-gatehouse-model')],
        [200, 'openai/text-embedding-3-small'],
      )
    }
    assert.equal((await embed('text-embedding-3-small@us')).status, 451)
  })

  test('is one model in a look', async () => {
    const list = await fetch(`${gateway.url}/v3/models/shared`, { headers: { authorization: `Bearer ${API_KEY}` } })
    assert.equal(((await list.json()) as ModelObject).id, 'cheap/shared')
  })
})

function embed(model: string): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  return fetch(`${gateway.url}/v3/embeddings`, { method: 'POST', headers, body: JSON.stringify({ model, input: 'x' }) })
}

describe('the end of a name', () => {
  test('says by what its hosts are ordered, in every place of a name', async () => {
    provider.always(answer())
    const { key } = await admin.issue({})
    const headers = { authorization: `Bearer ${key}` }
    assert.equal(await answeredBy({ model: 'shared:cost' }, headers), 'cheap/shared')
    assert.equal(await answeredBy({ routing: { sort: 'cost' } }, headers), 'cheap/shared')
    // What the others choose depends on what was observed.
    for (const sort of ['latency', 'speed', 'exact'])
      for (const body of [{ model: `shared:${sort}` }, { routing: { sort } }])
        assert.match(await answeredBy(body, headers), /^(cheap|dear|unpriced)\/shared$/)
    assert.equal(await answeredBy({ model: 'shared:cost@eu' }, headers), 'dear/shared')
    provider.next(status(404, {}))
    assert.equal(await answeredBy({ model: 'tagged/gone', fallbacks: ['shared@eu'] }, headers), 'dear/shared')
    const among = { model: '@service', router_candidates: ['shared@eu'] }
    assert.equal(await answeredBy(among, headers), 'dear/shared')
  })

  test('demands a region, with or without a provider, and through an alias', async () => {
    provider.always(answer())
    for (const model of ['shared@eu', 'dear/shared@eu', 'both@eu'])
      assert.equal(await answeredBy({ model }), 'dear/shared')
    provider.reset()
    for (const body of [
      { model: 'cheap/shared@eu' },
      { model: 'pinned@eu' },
      { model: 'shared@us' },
      { model: 'dear/shared', fallbacks: ['cheap/shared@eu'] },
    ]) {
      const { status: code, failure: refused } = await chat.whole({ ...HELLO, ...body })
      assert.deepEqual([code, refused.error.code], [451, 'region_not_allowed'], JSON.stringify(body))
    }
    const { key } = await admin.issue({ region: 'us' })
    const headers = { authorization: `Bearer ${key}` }
    assert.equal((await chat.whole({ ...HELLO, model: 'shared@eu' }, { headers })).status, 451)
    assert.equal(provider.requests.length, 0)
  })

  test('belongs to the name if a model is called like that', async () => {
    provider.always(answer())
    assert.equal(await answeredBy({ model: 'tag:cost' }), 'tagged/tag:cost')
    assert.equal(await answeredBy({ model: 'tagged/tag:cost' }), 'tagged/tag:cost')
    assert.equal(await answeredBy({ model: 'tag:speed' }), 'tagged/tag')
    assert.equal(await answeredBy({ model: 'tagged/new:free' }), 'tagged/new:free')
  })

  test('is no part of what the provider gets', async () => {
    provider.always(answer())
    await answeredBy({ model: 'shared:latency@eu', routing: { sticky: false } })
    assert.deepEqual(provider.requests[0]!.body, { model: 'shared', messages: HELLO.messages })
  })

  test('is understood in aliases: a target outside of the region is none', async () => {
    provider.next(failure(500))
    provider.always(answer())
    const { completion, headers } = await chat.whole({ ...HELLO, model: 'near' })
    assert.deepEqual([completion.model, headers.get('x-gatehouse-attempts')], ['cheap/shared', '2'])
  })

  test('is noted where an alias has an order of its own', async () => {
    provider.always(answer())
    const { completion } = await chat.whole({ ...HELLO, model: 'both:cost' }, { headers: METADATA })
    const { notes } = completion.gatehouse as { notes: { field: string; action: string }[] }
    assert.deepEqual(
      notes.map(({ field, action }) => [field, action]),
      [['routing.sort', 'dropped']],
    )
  })

  test('holds for the provider of a task', async () => {
    const ask = async (model: string) => {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model, input: { text: 'A door.' } })
      return await fetch(`${gateway.url}/v3/universal-ai`, { method: 'POST', headers, body })
    }
    provider.always(answer({ content: '{"result":"short"}' }))
    for (const model of ['shared@eu', 'dear/shared@eu'])
      assert.equal((await ask(`text/summarize/${model}`)).status, 200, model)
    const before = provider.requests.length
    for (const model of ['cheap/shared@eu', 'shared@us'])
      assert.equal((await ask(`text/summarize/${model}`)).status, 451, model)
    assert.equal(provider.requests.length, before)
  })
})

describe('what a request names twice', () => {
  test('is asked twice', async () => {
    provider.always(failure(500))
    const body = {
      model: 'cheap/shared',
      fallbacks: ['cheap/shared', 'dear/shared', 'dear/shared'],
      routing: { retries: 0 },
    }
    const { headers } = await chat.whole({ ...HELLO, ...body })
    assert.equal(headers.get('x-gatehouse-attempts'), '4')
    assert.equal(provider.requests.length, 4)
  })
})

describe('the candidates of the router', () => {
  type Routing = { refused: { by_reason: object; examples: object[] } }

  test('that do not exist are left out and reported', async () => {
    provider.always(answer())
    const router_candidates = [
      'nowhere/x',
      'dear/shared',
      'cheap/shared@eu',
      'no such model',
      'openai/text-embedding-3-small',
    ]
    const { completion, status: code } = await chat.whole(
      { ...HELLO, model: '@service', router_candidates },
      { headers: METADATA },
    )
    assert.deepEqual([code, completion.model], [200, 'dear/shared'])
    const { refused } = (completion.gatehouse as { routing: Routing }).routing
    assert.deepEqual(refused.by_reason, { unknown: 2, region: 1, not_a_chat_model: 1 })
    assert.deepEqual(refused.examples[0], { model: 'nowhere/x', reason: 'unknown' })
  })

  test('are refused if none is left', async () => {
    for (const [router_candidates, code] of [
      [['nowhere/x', 'no such model'], 422],
      [['cheap/shared@eu'], 451],
      [['openai/text-embedding-3-small'], 400],
    ] as const) {
      const reply = await chat.whole({ ...HELLO, model: '@service', router_candidates })
      assert.equal(reply.status, code, reply.text)
    }
    assert.equal(provider.requests.length, 0)
  })
})

test('the setting `maker` gives a name to one provider, unless the request wishes for an order', async (t) => {
  const rows = { cheap: host(1), dear: host(2) }
  const own = await gatewayWithRows({ dear: rows.dear, cheap: rows.cheap }, { bareNames: 'maker' })
  t.after(() => own.provider.reset())
  own.provider.always(answer())
  for (let index = 0; index < 12; index++) {
    const { completion } = await own.chat.whole({ ...conversation(`${index}`), model: 'shared' })
    assert.equal(completion.model, 'dear/shared')
  }
  assert.equal((await own.chat.whole({ ...HELLO, model: 'shared:cost' })).completion.model, 'cheap/shared')
})
