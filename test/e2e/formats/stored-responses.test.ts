import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { status } from '../../fakes/behaviours.ts'
import type { FakeProvider } from '../../fakes/provider.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { strictOpenai } from '../../fakes/strict-openai.ts'
import { collect } from '../../gateway/collect.ts'
import type { GatewayUnderTest } from '../../gateway/gateway-under-test.ts'
import { ResponsesGateway } from './responses-gateway.ts'

// Stored responses: their input, their tokens, compaction; by the official `openai` package, on both stores.

type Fields = Record<string, unknown>

const NEW = 'openai/gpt-5.4'
const ECHO = 'sandbox/echo'
const WEATHER = {
  type: 'function' as const,
  name: 'weather',
  parameters: { type: 'object', properties: {} },
  strict: false,
}

for (const { name, skip, newStore } of await storeKinds())
  describe(`stored responses on ${name}`, { skip }, () => {
    const site = new ResponsesGateway(newStore)
    let gateway: GatewayUnderTest
    let openai: FakeProvider
    let client: OpenAI
    before(() => {
      ;({ gateway, openai } = site)
      client = site.clientWith()
    })

    test('the input of every stored response is listed, with what came before it', async () => {
      const first = await client.responses.create({ model: ECHO, input: 'One.' })
      const input = [
        { role: 'user' as const, content: 'Two.' },
        { role: 'user' as const, content: 'Three.' },
      ]
      const next = await client.responses.create({ model: NEW, input, previous_response_id: first.id })
      const items = await collect(await client.responses.inputItems.list(next.id, { order: 'asc', limit: 1 }))
      assert.deepEqual(items.map(textOf), ['One.', 'One.', 'Two.', 'Three.'])
      assert.equal(items[1]!.id, first.output[0]!.id)
      const { data } = await client.responses.inputItems.list(first.id)
      assert.equal(data[0]!.id, items[0]!.id, 'an item keeps its id')
      await assert.rejects(client.responses.inputItems.list(next.id, { after: 'msg_x' }), OpenAI.NotFoundError)
      const named = [{ type: 'item_reference' as const, id: items[2]!.id! }]
      assert.equal((await client.responses.create({ model: ECHO, input: named })).output_text, 'Two.')
    })

    test('a response that has ended is cancelled without effect', async () => {
      const made = await client.responses.create({ model: ECHO, input: 'One.' })
      assert.equal((await client.responses.cancel(made.id)).status, 'completed')
      assert.equal((await client.responses.retrieve(made.id)).output_text, 'One.')
    })

    test('tokens are counted: by OpenAI for its models, with everything before; by us for others', async () => {
      const conversation = (await client.conversations.create({ items: [{ role: 'user', content: 'Before.' }] })).id
      openai.always(status(200, { object: 'response.input_tokens', input_tokens: 77 }))
      const asked = { input: 'Now.', conversation, instructions: 'Short.', tools: [WEATHER] }
      const counted = await client.responses.inputTokens.count({ model: NEW, ...asked }).withResponse()
      assert.deepEqual(counted.data, { object: 'response.input_tokens', input_tokens: 77 })
      assert.equal(counted.response.headers.get('x-gatehouse-estimate'), null)
      const { path, body } = openai.requests[0]!
      assert.equal(path, '/v1/responses/input_tokens')
      const { input, ...rest } = body as { input: Fields[] }
      assert.deepEqual(
        input.map(({ content }) => content),
        ['Before.', 'Now.'],
      )
      assert.deepEqual(rest, { model: 'gpt-5.4', instructions: 'Short.', tools: [WEATHER] })
      const count = async (more: object) =>
        (await client.responses.inputTokens.count({ model: 'mistral/mistral-small-latest', ...more })).input_tokens
      const [alone, all] = [await count({ input: 'Now.' }), await count(asked)]
      assert.ok(alone > 0 && all > alone + 5, `${alone} ${all}`)
      await assert.rejects(client.responses.inputTokens.count({ model: 'x/y', input: 'x' }), OpenAI.NotFoundError)
    })

    test('a conversation is compacted where the provider can do it, and goes on from there', async () => {
      const first = await client.responses.create({ model: ECHO, input: 'Long story.' })
      const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA-cmp_1' }
      const usage = { input_tokens: 100_000, output_tokens: 0, total_tokens: 100_000 }
      openai.always(
        status(200, { id: 'resp_x', object: 'response.compaction', created_at: 1, output: [compaction], usage }),
      )
      const asked = { model: NEW, previous_response_id: first.id, instructions: 'Short.' }
      const compacted = await client.responses.compact(asked)
      const { path, body } = openai.requests.at(-1)!
      assert.equal(path, '/v1/responses/compact')
      const { input, ...rest } = body as { input: Fields[] }
      assert.deepEqual([input.length, rest], [2, { model: 'gpt-5.4', instructions: 'Short.' }])
      assert.deepEqual(
        [compacted.object, compacted.output, compacted.usage],
        ['response.compaction', [compaction], usage],
      )
      const { input: perMillion } = gateway.gateway.services.calls.catalog.find('openai', 'gpt-5.4')!.price!
      assert.equal((compacted as Fields & typeof compacted).cost, perMillion / 10)
      openai.always(strictOpenai())
      await client.responses.create({
        model: NEW,
        input: [...compacted.output, { role: 'user', content: 'And?' }] as never,
      })
      assert.deepEqual((openai.requests.at(-1)!.body as { input: Fields[] }).input[0], compaction)
      const elsewhere = client.responses.compact({ model: ECHO, input: 'x' })
      await assert.rejects(elsewhere, (error: InstanceType<typeof OpenAI.APIError>) => {
        return error.status === 501 && /no such endpoint for 'sandbox\/echo'/.test(error.message)
      })
    })
  })

function textOf(item: object): string {
  const { content } = item as { content?: { text?: string }[] }
  return content?.[0]?.text ?? ''
}
