import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../soak/sample.ts'
import { type DialectGateway, MODELS, IMAGE } from '../gateway/dialect-gateway.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'

// The rule for formats: a conversation that is sent as a chat, as messages or as a response reaches the provider as the
// same body, in every dialect.

type Fields = Record<string, unknown>
type Call = { name: 'weather' | 'time'; city: string; result: string }
type Turn = { requested: string; image: boolean; answered: string; calls: Call[] }
type Talk = {
  system: string
  turns: Turn[]
  last: string
  tools: boolean
  choice: 'auto' | 'required' | 'weather' | undefined
  temperature: number | undefined
  maxTokens: number
  schema: boolean
  user: string | undefined
  stream: boolean
}

const said = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '')
const call = fc.record({ name: fc.constantFrom('weather' as const, 'time' as const), city: said, result: said })
const turn = fc.record({
  requested: said,
  image: fc.boolean(),
  answered: said,
  calls: fc.array(call, { maxLength: 2 }),
})
const talks: fc.Arbitrary<Talk> = fc.record({
  system: said,
  turns: fc.array(turn, { maxLength: 3 }),
  last: said,
  tools: fc.constant(true),
  choice: fc.constantFrom('auto' as const, 'required' as const, 'weather' as const, undefined),
  temperature: fc.constantFrom(0, 0.5, undefined),
  maxTokens: fc.integer({ min: 16, max: 4096 }),
  schema: fc.boolean(),
  user: fc.constantFrom('u-1', undefined),
  stream: fc.boolean(),
})

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const DATA = IMAGE.toString('base64')
const NAMES = ['weather', 'time'] as const

export function roundTripTests(setup: () => DialectGateway): void {
  for (const { dialect, model } of MODELS)
    test(`a conversation is the same upstream body in all three formats: ${dialect}`, async () => {
      await fc.assert(
        fc.asyncProperty(talks, async (talk) => {
          const bodies = [
            await upstreamBody('chat/completions', { model, ...asChat(talk) }),
            await upstreamBody('v1/messages', { model, ...asMessages(talk) }),
            await upstreamBody('responses', { model, ...asResponses(talk), store: false }),
          ]
          assert.deepEqual(bodies[1], bodies[0], 'messages and chat')
          assert.deepEqual(bodies[2], bodies[0], 'responses and chat')
        }),
        { numRuns: sample(8, 100) },
      )
    })

  async function upstreamBody(path: string, body: Fields): Promise<unknown> {
    const { gateway, fake } = setup()
    const before = fake.requests.length
    const reply = await fetch(`${gateway.url}/v3/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await reply.text()
    assert.equal(reply.status, 200, `${path}: ${text}`)
    const { path: where, body: sent } = fake.requests[before]!
    return { where, sent }
  }
}

function callId(turn: number, index: number): string {
  return `call_${turn}_${index}`
}

function withoutUndefined(fields: Fields): Fields {
  return JSON.parse(JSON.stringify(fields)) as Fields
}

function asChat({ system, turns, last, choice, temperature, maxTokens, schema, user, stream }: Talk): Fields {
  const messages = turns.flatMap(({ requested, image, answered, calls }, at) => [
    { role: 'user', content: image ? [{ type: 'text', text: requested }, chatImage()] : requested },
    {
      role: 'assistant',
      content: answered,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ name, city }, index) => {
          return { id: callId(at, index), type: 'function', function: { name, arguments: JSON.stringify({ city }) } }
        }),
      }),
    },
    ...calls.map(({ result }, index) => ({ role: 'tool', tool_call_id: callId(at, index), content: result })),
  ])
  return withoutUndefined({
    messages: [{ role: 'system', content: system }, ...messages, { role: 'user', content: last }],
    tools: NAMES.map((name) => ({ type: 'function', function: { name, description: name, parameters: SCHEMA } })),
    tool_choice: choice === 'weather' ? { type: 'function', function: { name: choice } } : choice,
    temperature,
    max_tokens: maxTokens,
    response_format: schema
      ? { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } }
      : undefined,
    user,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  })
}

function chatImage() {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } }
}

function asMessages({ system, turns, last, choice, temperature, maxTokens, schema, user, stream }: Talk): Fields {
  const text = (words: string) => ({ type: 'text', text: words })
  const source = { type: 'base64', media_type: 'image/png', data: DATA }
  // Roles alternate in this format, so results are at the beginning of the next user message.
  const results = (at: number) =>
    (turns[at]?.calls ?? []).map(({ result }, index) => {
      return { type: 'tool_result', tool_use_id: callId(at, index), content: result }
    })
  const messages = turns.flatMap(({ requested, image, answered, calls }, at) => [
    { role: 'user', content: [...results(at - 1), text(requested), ...(image ? [{ type: 'image', source }] : [])] },
    {
      role: 'assistant',
      content: [
        text(answered),
        ...calls.map(({ name, city }, index) => ({ type: 'tool_use', id: callId(at, index), name, input: { city } })),
      ],
    },
  ])
  return withoutUndefined({
    system,
    messages: [...messages, { role: 'user', content: [...results(turns.length - 1), text(last)] }],
    tools: NAMES.map((name) => ({ name, description: name, input_schema: SCHEMA })),
    tool_choice:
      choice === 'weather' ? { type: 'tool', name: choice } : choice && { type: choice === 'auto' ? choice : 'any' },
    temperature,
    max_tokens: maxTokens,
    output_config: schema ? { format: { type: 'json_schema', schema: SCHEMA } } : undefined,
    metadata: user === undefined ? undefined : { user_id: user },
    ...(stream && { stream }),
  })
}

function asResponses({ system, turns, last, choice, temperature, maxTokens, schema, user, stream }: Talk): Fields {
  const items = turns.flatMap(({ requested, image, answered, calls }, at) => [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: requested },
        ...(image ? [{ type: 'input_image', image_url: `data:image/png;base64,${DATA}` }] : []),
      ],
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answered }] },
    ...calls.map(({ name, city }, index) => {
      return { type: 'function_call', call_id: callId(at, index), name, arguments: JSON.stringify({ city }) }
    }),
    ...calls.map(({ result }, index) => {
      return { type: 'function_call_output', call_id: callId(at, index), output: result }
    }),
  ])
  return withoutUndefined({
    instructions: system,
    input: [...items, { role: 'user', content: last }],
    tools: NAMES.map((name) => ({ type: 'function', name, description: name, parameters: SCHEMA })),
    tool_choice: choice === 'weather' ? { type: 'function', name: choice } : choice,
    temperature,
    max_output_tokens: maxTokens,
    text: schema ? { format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true } } : undefined,
    user,
    ...(stream && { stream }),
  })
}
