import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'

// Words of other gateways and providers: understood where the gateway has the thing, dropped with a note otherwise.

const HELLO = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }
const THINKER = { ...HELLO, model: 'openai/gpt-5-mini' }
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const METADATA = { 'x-gatehouse-metadata': 'enabled' }

type Fields = Record<string, unknown>
type Noted = { gatehouse?: { notes?: { field: string; action: string }[] } }

describe('words of other gateways', async () => {
  const { provider, chat } = await gatewayWithRows({ openrouter: {} })

  async function sent(body: object): Promise<{ body: Fields; notes: string[] }> {
    provider.always(answer())
    const { status, text, completion } = await chat.whole(body, { headers: METADATA })
    assert.equal(status, 200, text)
    const notes = (completion as Noted).gatehouse?.notes ?? []
    return {
      body: provider.requests.at(-1)!.body as Fields,
      notes: notes.map(({ field, action }) => `${action} ${field}`),
    }
  }

  test("Mistral's tool_choice", async () => {
    const { body, notes } = await sent({ ...HELLO, tools: TOOLS, tool_choice: 'any' })
    assert.deepEqual([body.tool_choice, notes], ['required', ['translated tool_choice']])
  })

  const REASONING: [object, Fields][] = [
    [{ effort: 'high' }, { reasoning_effort: 'high' }],
    [{ enabled: false }, { reasoning_effort: 'minimal' }],
    [{ max_tokens: 2_000 }, { reasoning_effort: 'low' }],
    [{ enabled: true, exclude: true }, { reasoning_effort: 'medium' }],
  ]
  for (const [reasoning, fields] of REASONING)
    test(`OpenRouter's reasoning: ${JSON.stringify(reasoning)}`, async () => {
      const { body, notes } = await sent({ ...THINKER, reasoning })
      assert.deepEqual(
        { reasoning: body.reasoning, reasoning_effort: body.reasoning_effort },
        { reasoning: undefined, ...fields },
      )
      assert.ok(notes.includes('translated reasoning'), notes.join())
    })

  test("OpenRouter's own models get the object as it is", async () => {
    const reasoning = { effort: 'high', exclude: true }
    const { body, notes } = await sent({ ...HELLO, model: 'openrouter/x/y', reasoning })
    assert.deepEqual([body.reasoning, notes], [reasoning, []])
  })

  test("LiteLLM's settings are dropped with a note", async () => {
    const settings = {
      max_retries: 0,
      drop_params: true,
      mock_response: 'Hi',
      litellm_metadata: {},
      cache: { 'no-cache': true },
      stream_timeout: 5,
      caching: true,
      'no-log': true,
      allowed_openai_params: ['x'],
      additional_drop_params: ['y'],
      context_window_fallback_dict: {},
      retry_policy: {},
    }
    const { body, notes } = await sent({ ...HELLO, ...settings })
    assert.deepEqual(body, HELLO_SENT)
    assert.deepEqual(
      notes.toSorted(),
      Object.keys(settings)
        .map((name) => `dropped ${name}`)
        .toSorted(),
    )
    assert.deepEqual((await sent({ ...HELLO, extra_body: settings })).body, HELLO_SENT)
  })
})

const HELLO_SENT = { model: 'gpt-4o-mini', messages: HELLO.messages }
