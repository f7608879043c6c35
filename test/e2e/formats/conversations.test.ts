import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { failure } from '../../fakes/behaviours.ts'
import type { FakeProvider } from '../../fakes/provider.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { strictOpenai } from '../../fakes/strict-openai.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { collect } from '../../gateway/collect.ts'
import type { GatewayUnderTest } from '../../gateway/gateway-under-test.ts'
import { ResponsesGateway } from './responses-gateway.ts'

// Conversations, by the official `openai` package, on both stores. The fake refuses what OpenAI refuses.

type Fields = Record<string, unknown>
type Create = OpenAI.Responses.ResponseCreateParamsNonStreaming

const NEW = 'openai/gpt-5.4'
const ECHO = 'sandbox/echo'
const WEATHER = {
  type: 'function' as const,
  name: 'weather',
  parameters: { type: 'object', properties: {} },
  strict: false,
}
const UNKNOWN = `conv_${'0'.repeat(32)}`

for (const { name, skip, newStore } of await storeKinds())
  describe(`conversations on ${name}`, { skip }, () => {
    const site = new ResponsesGateway(newStore)
    let gateway: GatewayUnderTest
    let openai: FakeProvider
    let client: OpenAI
    before(() => {
      ;({ gateway, openai } = site)
      client = site.clientWith()
    })

    test('are created, read, changed and deleted', async () => {
      const items = [{ role: 'user' as const, content: 'Hi.' }]
      const made = await client.conversations.create({ metadata: { topic: 'a' }, items })
      assert.match(made.id, /^conv_[0-9a-f]{32}$/)
      assert.deepEqual([made.object, made.metadata], ['conversation', { topic: 'a' }])
      assert.deepEqual(await client.conversations.retrieve(made.id), made)
      const changed = await client.conversations.update(made.id, { metadata: { topic: 'b' } })
      assert.deepEqual(changed, { ...made, metadata: { topic: 'b' } })
      assert.deepEqual(await client.conversations.update(made.id, { metadata: null }), { ...made, metadata: {} })
      const deleted = await client.conversations.delete(made.id)
      assert.deepEqual(deleted, { id: made.id, object: 'conversation.deleted', deleted: true })
      await assert.rejects(client.conversations.retrieve(made.id), OpenAI.NotFoundError)
      await assert.rejects(client.conversations.items.list(made.id), OpenAI.NotFoundError)
      assert.deepEqual((await client.conversations.create()).metadata, {})
    })

    test('items are added, listed page by page in both orders, read and deleted', async () => {
      const { id } = await client.conversations.create()
      const texts = ['a', 'b', 'c', 'd', 'e']
      const items = texts.map((content) => ({ role: 'user' as const, content }))
      const added = await client.conversations.items.create(id, { items })
      assert.deepEqual([added.data.length, added.has_more], [5, false])
      const first = added.data[0] as OpenAI.Conversations.Message
      assert.deepEqual([first.type, first.role, first.status], ['message', 'user', 'completed'])
      assert.deepEqual(first.content, [{ type: 'input_text', text: 'a' }])
      for (const order of ['asc', 'desc'] as const) {
        const listed = await collect(await client.conversations.items.list(id, { limit: 2, order }))
        const expected = order === 'asc' ? texts : texts.toReversed()
        assert.deepEqual(listed.map(textOf), expected)
      }
      const page = await client.conversations.items.list(id, { limit: 2 })
      assert.deepEqual([page.data.map(textOf), page.has_more, page.last_id], [['e', 'd'], true, page.data[1]!.id])
      const place = { conversation_id: id }
      assert.deepEqual(await client.conversations.items.retrieve(first.id, place), first)
      assert.equal((await client.conversations.items.delete(first.id, place)).id, id)
      await assert.rejects(client.conversations.items.retrieve(first.id, place), OpenAI.NotFoundError)
      await assert.rejects(client.conversations.items.delete(first.id, place), OpenAI.NotFoundError)
      await assert.rejects(client.conversations.items.list(id, { after: first.id }), OpenAI.NotFoundError)
    })

    test('parts that were not asked for are left out of lists', async () => {
      const { id } = await client.conversations.create()
      const image_url = 'https://x.test/a.png'
      const image = { role: 'user', content: [{ type: 'input_image', image_url, detail: 'auto' }] }
      const reasoning = { type: 'reasoning', id: 'rs_x', summary: [], encrypted_content: 'secret' }
      await client.conversations.items.create(id, { items: [image, reasoning] as never })
      const shown = async (include: OpenAI.Responses.ResponseIncludable[]) => {
        const { data } = await client.conversations.items.list(id, { order: 'asc', include })
        const [message, thought] = data as { content?: Fields[]; encrypted_content?: string }[]
        return [message!.content![0]!.image_url, thought!.encrypted_content]
      }
      assert.deepEqual(await shown([]), [undefined, undefined])
      assert.deepEqual(await shown(['message.input_image.image_url', 'reasoning.encrypted_content']), [
        image_url,
        'secret',
      ])
      await assert.rejects(shown(['everything' as never]), OpenAI.UnprocessableEntityError)
    })

    test('what is not valid is refused: metadata, items, cursors', async () => {
      const { id } = await client.conversations.create()
      const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v']))
      for (const metadata of [many, { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(513) }, { k: 1 }])
        await assert.rejects(
          client.conversations.create({ metadata: metadata as never }),
          OpenAI.UnprocessableEntityError,
        )
      const items = Array.from({ length: 21 }, () => ({ role: 'user' as const, content: 'x' }))
      for (const wrong of [items, [], undefined])
        await assert.rejects(
          client.conversations.items.create(id, { items: wrong as never }),
          OpenAI.UnprocessableEntityError,
        )
      await assert.rejects(client.conversations.items.list(id, { limit: 101 }), OpenAI.UnprocessableEntityError)
    })

    test('a conversation that is full takes no more, and says so before a model is asked', async () => {
      const { id: conversation } = await client.conversations.create()
      const { db } = gateway.gateway.services.calls
      for (const full of ['items = 5000', 'items = 0, bytes = 16777216']) {
        await db.query(`UPDATE conversations SET ${full} WHERE id = $1`, [conversation])
        const items = [{ role: 'user' as const, content: 'x' }]
        await assert.rejects(client.conversations.items.create(conversation, { items }), { status: 413 })
        await assert.rejects(client.responses.create({ model: NEW, input: 'x', conversation }), { status: 413 })
      }
      assert.equal(openai.requests.length, 0)
    })

    test('a response continues its conversation, whole and streamed, with encrypted reasoning', async () => {
      const conversation = (await client.conversations.create()).id
      const first = await client.responses.create({ model: NEW, input: 'Weather?', tools: [WEATHER], conversation })
      assert.deepEqual(first.conversation, { id: conversation })
      const result = { type: 'function_call_output' as const, call_id: 'call_1', output: 'Sun.' }
      const asked = { model: NEW, input: [result], tools: [WEATHER], conversation: { id: conversation } }
      const events = await collect(await client.responses.create({ ...asked, stream: true }))
      const last = (events.at(-1) as OpenAI.Responses.ResponseCompletedEvent).response
      assert.deepEqual(last.conversation, { id: conversation })
      const sent = (openai.requests[1]!.body as { input: Fields[] }).input
      const kinds = sent.map(({ type, id }) => [type, id])
      assert.deepEqual(
        kinds,
        ['message', 'reasoning', 'function_call', 'function_call_output'].map((type) => [type, undefined]),
      )
      assert.equal(sent[1]!.encrypted_content, 'gAAAA-rs_1')
      const listed = await collect(await client.conversations.items.list(conversation, { order: 'asc' }))
      const [, , , output, ...rest] = listed.map(({ type }) => type)
      assert.deepEqual(
        [output, rest.at(-1), new Set(listed.map(({ id }) => id)).size],
        ['function_call_output', 'message', listed.length],
      )
      assert.equal(
        (await client.conversations.items.retrieve(last.output.at(-1)!.id!, { conversation_id: conversation })).type,
        'message',
      )
    })

    test('a model of another maker takes over inside of a conversation, and the first goes on', async () => {
      const conversation = (await client.conversations.create()).id
      await client.responses.create({ model: NEW, input: 'One.', conversation })
      openai.always(failure(500))
      const asked = { model: NEW, fallbacks: [ECHO], input: 'Two.', conversation }
      const other = await client.responses.create(asked as Create)
      assert.deepEqual([other.model, other.output_text], [ECHO, 'Two.'])
      openai.reset()
      openai.always(strictOpenai())
      await client.responses.create({ model: NEW, input: 'Three.', conversation })
      const { input } = openai.requests[0]!.body as { input: Fields[] }
      const kinds = input.map(({ type, role }) => (type === 'message' ? role : type))
      assert.deepEqual(kinds, ['user', 'reasoning', 'assistant', 'user', 'assistant', 'user'])
    })

    test('concurrent responses each stay together, and a response that fails adds nothing', async () => {
      const conversation = (await client.conversations.create()).id
      const texts = Array.from({ length: 6 }, (_, at) => `number ${at}`)
      await Promise.all(
        texts.map((input) => client.responses.create({ model: ECHO, input, conversation, store: false })),
      )
      openai.always(failure(400))
      await assert.rejects(client.responses.create({ model: NEW, input: 'x', conversation }))
      const listed = (await collect(await client.conversations.items.list(conversation, { order: 'asc' }))).map(textOf)
      assert.equal(listed.length, 12)
      for (const text of texts)
        assert.deepEqual(listed.slice(listed.indexOf(text), listed.indexOf(text) + 2), [text, text])
    })

    test('a conversation and a previous response together are refused, as OpenAI does', async () => {
      const conversation = (await client.conversations.create()).id
      const { id: previous_response_id } = await client.responses.create({ model: ECHO, input: 'x' })
      const asked = { model: ECHO, input: 'x', conversation, previous_response_id }
      await assert.rejects(client.responses.create(asked), { status: 400, code: 'mutually_exclusive_parameters' })
      const unknown = { model: ECHO, input: 'x', conversation: UNKNOWN }
      await assert.rejects(client.responses.create(unknown), { status: 404, param: 'conversation' })
    })

    test('for another owner, everything is exactly as if it did not exist', async () => {
      const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'mine' }] })
      const [item] = (await client.conversations.items.list(id)).data
      const response = (await client.responses.create({ model: ECHO, input: 'x', conversation: id })).id
      const later = await client.responses.create({ model: ECHO, input: 'x', background: true, stream: false })
      const { key } = await adminClient(gateway.adminUrl).issue({ owner: 'another-owner' })
      const requests: [string, string, object?][] = [
        ['GET', `/v3/conversations/${id}`],
        ['POST', `/v3/conversations/${id}`, { metadata: {} }],
        ['GET', `/v3/conversations/${id}/items`],
        ['POST', `/v3/conversations/${id}/items`, { items: [{ role: 'user', content: 'x' }] }],
        ['GET', `/v3/conversations/${id}/items/${item!.id}`],
        ['DELETE', `/v3/conversations/${id}/items/${item!.id}`],
        ['POST', '/v3/responses', { model: ECHO, input: 'x', conversation: id }],
        ['POST', '/v3/responses/input_tokens', { model: ECHO, input: 'x', conversation: id }],
        ['DELETE', `/v3/conversations/${id}`],
      ]
      for (const one of [response, later.id])
        requests.push(
          ['GET', `/v3/responses/${one}`],
          ['GET', `/v3/responses/${one}?stream=true`],
          ['GET', `/v3/responses/${one}/input_items`],
          ['POST', `/v3/responses/${one}/cancel`],
          ['DELETE', `/v3/responses/${one}`],
        )
      const zeros = (text: string) => text.replaceAll(/(conv|resp)_[0-9a-f]{32}/g, `$1_${'0'.repeat(32)}`)
      for (const [method, path, body] of requests) {
        const foreign = await send(method, path, body, key)
        const text = body && JSON.parse(zeros(JSON.stringify(body)))
        const unknown = await send(method, zeros(path), text, key)
        assert.deepEqual(
          [foreign.status, zeros(foreign.text)],
          [unknown.status, zeros(unknown.text)],
          `${method} ${path}`,
        )
        assert.equal(foreign.status, 404, `${method} ${path}`)
      }
      assert.equal((await client.conversations.items.list(id)).data.length, 3, 'and nothing happened to it')
      assert.equal((await client.responses.retrieve(later.id)).id, later.id)
    })

    async function send(method: string, path: string, body: object | undefined, key: string) {
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
      const reply = await fetch(gateway.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: reply.status, text: await reply.text() }
    }
  })

function textOf(item: object): string {
  const { content } = item as { content?: { text?: string }[] }
  return content?.[0]?.text ?? ''
}
