import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import { type Fields, type Event, OWN, OWN_EVENTS, withOurIds } from '../../fakes/own-response.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { withRawNumbers } from '../../fakes/raw-numbers.ts'
import { stream } from '../../fakes/stream.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

/** Its provider serves it only on /responses. */
const PRO = 'openai/gpt-5-pro'

describe('the responses format', () => {
  let gateway: GatewayUnderTest
  let openai: FakeProvider
  before(async () => {
    openai = await startFakeProvider({ everyPath: true })
    const env = { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: 'sk-fake-0123456789' }
    gateway = await startGateway({ env })
  })
  beforeEach(() => openai.reset())
  after(async () => {
    await gateway.close()
    await openai.close()
  })

  test('a model that its provider serves only on this endpoint is called there, without loss', async () => {
    openai.always(status(200, OWN))
    const body = {
      input: 'Hello',
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      field_of_ours: 1,
    }
    const reply = await created({ model: PRO, ...body, fallbacks: [PRO] })
    const { path, body: sent } = openai.requests[0]!
    const input = [{ type: 'message', role: 'user', content: 'Hello' }]
    const ours = { model: 'gpt-5-pro', store: false, include: ['reasoning.encrypted_content'] }
    assert.deepEqual([path, sent], ['/v1/responses', { ...body, input, ...ours }])
    const { id, previous_response_id, ...rest } = reply
    const { id: _, ...own } = { ...OWN, output: withOurIds(id) }
    // Our schema has these two in every response. The fee of its search is not known.
    const supplied = { error: null, incomplete_details: null }
    assert.deepEqual(rest, { ...own, ...supplied, model: PRO, store: true, cost: null, provider: 'openai' })
    assert.match(String(id), /^resp_[0-9a-f]{32}$/)
    assert.equal(previous_response_id, null)
  })

  test('and so are its events; they carry our id, our name of the model and the cost', async () => {
    openai.always(stream(OWN_EVENTS.map(eventText), { end: 'clean', chunking: 'random', seed: 3 }))
    const events = await streamed({ model: PRO, input: 'Hello' })
    assert.deepEqual(
      events.map(({ type }) => type),
      OWN_EVENTS.map(({ type }) => type),
    )
    assert.deepEqual([events[0]!.beside, events.at(-1)!.beside], ['a', 'b'])
    const last = events.at(-1)!.response as Fields & { usage: Fields }
    assert.deepEqual([last.model, last.cost, last.usage.cost, last.output], [PRO, null, null, withOurIds(last.id)])
    assert.ok(events.every(({ response }) => !response || (response as Fields).id === last.id))
    assert.equal((await get(String(last.id))).status, 200)
  })

  test('without tools of the provider, or without their use, the cost is known', async () => {
    const unsearched = { ...OWN, output: OWN.output.filter(({ type }) => type !== 'web_search_call') }
    openai.always(status(200, unsearched))
    const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
    assert.equal((await created({ model: PRO, input: 'Hello', tools })).cost, 15)
    const [begin, , , text] = OWN_EVENTS
    const end = { type: 'response.completed', response: unsearched }
    openai.always(stream([begin!, text!, end].map(eventText), { end: 'clean' }))
    const last = (await streamed({ model: PRO, input: 'Hello', tools })).at(-1)!.response as Fields
    assert.equal(last.cost, 15)
  })

  test('tools of the provider take a chat model of OpenAI there too, and are refused of others', async () => {
    openai.always(status(200, { ...OWN, model: 'gpt-4o' }))
    const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
    assert.equal((await created({ model: 'openai/gpt-4o', input: 'x', tools })).model, 'openai/gpt-4o')
    assert.equal(openai.requests[0]!.path, '/v1/responses')
    const refused = await post({ model: 'sandbox/echo', input: 'x', tools })
    const { error } = (await refused.json()) as { error: Fields }
    assert.deepEqual([refused.status, error.param], [422, 'tools'])
  })

  test('its failure is the provider’s, whole and streamed, and a chat model may take over', async () => {
    const failed = { ...OWN, status: 'failed', error: { code: 'server_error', message: 'Out of order.' } }
    openai.always(status(200, failed))
    assert.equal((await post({ model: PRO, input: 'x' })).status, 502)
    openai.always(stream([eventText({ type: 'response.failed', response: failed })], { end: 'clean' }))
    assert.equal((await post({ model: PRO, input: 'x', stream: true })).status, 502)
    openai.always(failure(500))
    const reply = await created({ model: PRO, input: 'Hello', fallbacks: ['sandbox/echo'] })
    assert.equal(reply.model, 'sandbox/echo')
  })

  test('a response is kept for its owner: to get, to go on from, to delete', async () => {
    const first = await created({ model: 'sandbox/echo', input: 'First.', metadata: { a: '1' } })
    const id = String(first.id)
    assert.deepEqual(await (await get(id)).json(), first)
    openai.always(answer({ content: 'Second.' }))
    const second = await created({ model: 'openai/gpt-4o', input: 'And?', previous_response_id: id, instructions: 'S' })
    assert.deepEqual((openai.requests[0]!.body as Fields).messages, [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'First.' },
      { role: 'assistant', content: 'First.' },
      { role: 'user', content: 'And?' },
    ])
    const third = { model: 'sandbox/echo', input: 'x', previous_response_id: String(second.id) }
    const other = await anotherKey()
    assert.equal((await get(id, other)).status, 404)
    const foreign = await post(third, other)
    const { error } = (await foreign.json()) as { error: Fields }
    const told = `${foreign.status} ${error.code} ${error.param}: ${error.message}`
    assert.match(
      told,
      /^400 previous_response_not_found previous_response_id: Previous response with id '[^']+' not found\./,
    )
    assert.equal((await post(third)).status, 200)
    const removed = await get(id, API_KEY, 'DELETE')
    assert.deepEqual(await removed.json(), { id, object: 'response.deleted', deleted: true })
    for (const method of ['GET', 'DELETE']) assert.equal((await get(id, API_KEY, method)).status, 404)
    assert.equal((await post(third)).status, 200, 'what came after it stands by itself')
  })

  test('the numbers of a caller come back digit for digit, whole, streamed and stored', async () => {
    const metadata = '{"a":1.10,"b":[12345678901234567890,1e2,-0],"c":"1.10","d":{"e":1e400}}'
    const tools = '[{"type":"function","name":"f","parameters":{"type":"object","minimum":1.0}}]'
    const body = { model: 'sandbox/echo', input: 'x', metadata: withRawNumbers(metadata), tools: withRawNumbers(tools) }
    const text = await (await post({ ...body, temperature: JSON.rawJSON('1.0') })).text()
    const { id } = JSON.parse(text) as { id: string }
    const events = await (await post({ ...body, temperature: JSON.rawJSON('1.0'), stream: true })).text()
    for (const answer of [text, events, await (await get(id)).text()])
      for (const part of [`"metadata":${metadata}`, `"tools":${tools}`, '"temperature":1.0'])
        assert.ok(answer.includes(part), `${part} in ${answer}`)
    assert.equal((await post({ model: 'sandbox/echo', input: 'y', previous_response_id: id })).status, 200)
  })

  test('what is not to be kept is not, and an upload is no response', async () => {
    const { id, store } = await created({ model: 'sandbox/echo', input: 'x', store: false })
    assert.equal(store, false)
    const form = new FormData()
    form.append('file', new Blob(['{"response":{"id":"x"}}']), 'response.json')
    const headers = { authorization: `Bearer ${API_KEY}` }
    const uploaded = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
    const { file_id } = (await uploaded.json()) as { file_id: string }
    for (const unknown of [String(id), `resp_${file_id.replaceAll('-', '')}`, 'resp_x', '%2e%2e%2fx'])
      assert.equal((await get(unknown)).status, 404, unknown)
  })

  test('items may be named instead of sent', async () => {
    const first = await created({ model: 'sandbox/echo', input: 'First.' })
    const [item] = first.output as { id: string }[]
    openai.always(answer())
    const input = [
      { role: 'user', content: 'First.' },
      { type: 'item_reference', id: item!.id },
      { role: 'user', content: 'x' },
    ]
    await created({ model: 'openai/gpt-4o', input })
    const { messages } = openai.requests[0]!.body as { messages: Fields[] }
    assert.deepEqual(messages[1], { role: 'assistant', content: 'First.' })
    for (const id of ['msg_x', `msg_${'0'.repeat(32)}_0`, `${item!.id}7`]) {
      const reply = await post({ model: 'openai/gpt-4o', input: [{ type: 'item_reference', id }] })
      const { error } = (await reply.json()) as { error: Fields }
      assert.match(`${reply.status} ${error.param}: ${error.message}`, /^404 input: Item with id '[^']+' not found\./)
    }
  })

  test('a plain chat wire gets a plain chat', async () => {
    openai.always(answer())
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
    await created({
      model: 'openai/gpt-4o',
      max_output_tokens: 20,
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }, verbosity: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: true }],
      tool_choice: { type: 'function', name: 'f' },
      truncation: 'auto',
      metadata: { a: 'b' },
      input: [
        { role: 'developer', content: 'D' },
        { role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
        call,
        { ...call, call_id: 'c2' },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [{ type: 'input_image', image_url: 'https://x.test/a' }],
        },
        { type: 'function_call_output', call_id: 'c2', output: 'two' },
      ],
    })
    const called = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
    assert.deepEqual(openai.requests[0]!.body, {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'D' },
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: 'Well.', tool_calls: [called('c1'), called('c2')] },
        { role: 'tool', tool_call_id: 'c1', content: 'The result follows.' },
        { role: 'tool', tool_call_id: 'c2', content: 'two' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Result of the tool call c1:' },
            { type: 'image_url', image_url: { url: 'https://x.test/a' } },
          ],
        },
      ],
      max_completion_tokens: 20,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      verbosity: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
      },
    })
  })

  test('errors are specific: no input, the background, another kind of model, another format’s body', async () => {
    const cases: [object, number, string][] = [
      [{ model: 'sandbox/echo' }, 422, 'validation_error'],
      [{ model: 'sandbox/echo', input: 'x', background: true, store: false }, 400, 'invalid_value'],
      [{ model: 'sandbox/echo', input: 'x', conversation: 'conv_1' }, 404, 'not_found'],
      [{ model: 'sandbox/echo', input: 'x', conversation: { id: 'conv_1' } }, 404, 'not_found'],
      [{ model: 'sandbox/echo', input: 'x', conversation: { id: 1 } }, 422, 'validation_error'],
      [{ model: PRO, input: 'x', conversation: 'conv_1', stream: true }, 404, 'not_found'],
      [{ model: 'sandbox/echo', input: 'x', prompt: { id: 'pmpt_1' } }, 422, 'validation_error'],
      [{ model: 'openai/tts-1', input: 'x' }, 400, 'unsupported_endpoint'],
      [{ model: 'unknown/x', input: 'x' }, 404, 'model_not_found'],
    ]
    for (const [body, code, name] of cases) {
      const reply = await post(body)
      assert.deepEqual([reply.status, ((await reply.json()) as { error: Fields }).error.code], [code, name])
    }
    const elsewhere = await post({ model: 'sandbox/echo', input: 'x' }, API_KEY, 'chat/completions')
    assert.equal(elsewhere.status, 422)
    assert.match(((await elsewhere.json()) as { error: { message: string } }).error.message, /POST \/v3\/responses/)
  })

  function post(body: object, key = API_KEY, path = 'responses'): Promise<Response> {
    return fetch(`${gateway.url}/v3/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  async function created(body: object): Promise<Fields> {
    const reply = await post(body)
    const value = (await reply.json()) as Fields
    assert.equal(reply.status, 200, JSON.stringify(value))
    return value
  }

  async function streamed(body: object): Promise<Event[]> {
    const text = await (await post({ ...body, stream: true })).text()
    const datas = [...text.matchAll(/^data: (.*)$/gm)]
    return datas.map(([, data]) => JSON.parse(data!) as Event)
  }

  function get(id: string, key = API_KEY, method = 'GET'): Promise<Response> {
    return fetch(`${gateway.url}/v3/responses/${id}`, { method, headers: { authorization: `Bearer ${key}` } })
  }

  async function anotherKey(): Promise<string> {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'other', owner: 'another-owner' })
    const made = await fetch(`${gateway.adminUrl}/admin/keys`, { method: 'POST', headers, body })
    return ((await made.json()) as { key: string }).key
  }
})

function eventText(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
