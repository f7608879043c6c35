import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type ChatClient, chatClient } from '../../gateway/chat-client.ts'
import { type DialectGateway, MODELS, startDialectGateway } from '../../gateway/dialect-gateway.ts'

// Clients write tools, and the choice among them, as another format has them. Every provider gets them in its own words, with the
// schema, and refuses others.

type Fields = Record<string, unknown>

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const USUAL = { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: SCHEMA } }
const TOOLS: Record<string, Fields> = {
  'as usual': USUAL,
  'of the responses format': { type: 'function', ...USUAL.function },
  "of Anthropic's clients": { name: 'weather', description: 'Tells it.', input_schema: SCHEMA },
  "of Anthropic's newer clients": { type: 'custom', name: 'weather', input_schema: SCHEMA },
  'without a type': USUAL.function,
}
const FORCED = {
  'as usual': { type: 'function', function: { name: 'weather' } },
  "of Anthropic's clients": { type: 'tool', name: 'weather' },
  'of the responses format': { type: 'function', name: 'weather' },
}

describe('tools in the words of other formats', () => {
  let dialects: DialectGateway
  let chat: ChatClient
  before(async () => {
    dialects = await startDialectGateway()
    chat = chatClient(dialects.gateway.url)
  })
  after(() => dialects?.close())
  beforeEach(() => dialects.fake.requests.splice(0))

  async function called(body: Fields): Promise<{ names: string[]; sent: string }> {
    const { status, text, completion } = await chat.whole({ messages: [{ role: 'user', content: 'Rain?' }], ...body })
    assert.equal(status, 200, text)
    const calls = (completion.choices[0]!.message.tool_calls ?? []) as { function: { name: string } }[]
    return { names: calls.map((call) => call.function.name), sent: dialects.fake.requests.at(-1)?.text ?? '' }
  }

  for (const { dialect, model } of MODELS) {
    for (const [spelling, tool] of Object.entries(TOOLS))
      test(`${dialect}: a tool ${spelling}`, async () => {
        const { names, sent } = await called({ model, tools: [tool] })
        assert.deepEqual(names, ['weather', 'weather'])
        assert.match(sent, /"properties":\s*\{\s*"city"/, 'the schema arrives')
      })
    for (const [spelling, tool_choice] of Object.entries(FORCED))
      test(`${dialect}: a forced call ${spelling}`, async () => {
        const { names, sent } = await called({ model, tools: [USUAL], tool_choice })
        assert.ok(names.includes('weather'))
        const usual = await called({ model, tools: [USUAL], tool_choice: FORCED['as usual'] })
        assert.deepEqual(JSON.parse(sent), JSON.parse(usual.sent))
      })
    for (const word of ['auto', 'required', 'none'])
      test(`${dialect}: the choice ${word} as an object`, async () => {
        const type = word === 'required' ? 'any' : word
        const { sent } = await called({ model, tools: [USUAL], tool_choice: { type } })
        const usual = await called({ model, tools: [USUAL], tool_choice: word })
        assert.deepEqual(JSON.parse(sent), JSON.parse(usual.sent))
      })
    test(`${dialect}: one call at a time, in Anthropic's words`, async () => {
      const choice = { type: 'auto', disable_parallel_tool_use: true }
      const { sent } = await called({ model, tools: [USUAL], tool_choice: choice })
      const usual = await called({ model, tools: [USUAL], tool_choice: 'auto', parallel_tool_calls: false })
      assert.deepEqual(JSON.parse(sent), JSON.parse(usual.sent))
    })
  }

  test('members that a function has nowhere else are noted', async () => {
    const model = 'openai/gpt-4o-mini'
    const tools = [{ ...TOOLS["of Anthropic's clients"], defer_loading: true }]
    const reply = await chat.post({ model, messages: [{ role: 'user', content: 'Rain?' }], tools })
    assert.equal(reply.headers.get('x-gatehouse-dropped-fields'), 'tools.defer_loading')
    await reply.body?.cancel()
  })

  test('the sandbox calls them, too', async () => {
    for (const tool of Object.values(TOOLS))
      assert.deepEqual((await called({ model: 'sandbox/tools', tools: [tool], tool_choice: 'required' })).names, [
        'weather',
      ])
  })
})
