import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CountTokensRequest } from '../../../contract/tokens.ts'
import type { WireRequest } from '../../../translation/wire/wire.ts'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { counterFor } from './index.ts'

const PNG = { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' }
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const REQUEST: CountTokensRequest & Record<string, unknown> = {
  model: 'any',
  max_tokens: 100,
  stream: true,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call-1', name: 'weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call-1', content: [{ type: 'text', text: 'rain' }] },
        { type: 'image', source: PNG },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a page' } },
      ],
    },
  ],
  tools: [
    { name: 'weather', description: 'Weather', input_schema: SCHEMA },
    { type: 'bash_20250124', name: 'bash' },
  ],
  tool_choice: { type: 'any' },
}

describe('Anthropic', () => {
  const { encode, decode } = counterFor({ dialect: 'anthropic' }, 'x')!
  const target = { baseUrl: 'https://host/v1', model: 'claude-x' }

  test('the request as it is, without what a count refuses', () => {
    const wire = encode({ request: REQUEST, betas: 'one,two' }, target)
    const { max_tokens: _, stream: __, ...kept } = REQUEST
    assert.equal(wire.url, 'https://host/v1/messages/count_tokens')
    assert.deepEqual([wire.headers['anthropic-version'], wire.headers['anthropic-beta']], ['2023-06-01', 'one,two'])
    assert.deepEqual(bodyOf(wire), { ...kept, model: 'claude-x' })
    assert.equal(decode({ input_tokens: 14 }), 14)
  })

  test('null means absent', () => {
    const request = { model: 'x', messages: [], system: null, tools: null, tool_choice: null }
    const wire = encode({ request }, target)
    assert.deepEqual(bodyOf(wire), { model: 'claude-x', messages: [] })
    assert.ok(!('anthropic-beta' in wire.headers))
  })
})

test('Bedrock: only Claude, in its own format', () => {
  const provider = PROVIDERS.amazon!
  assert.equal(counterFor(provider, 'amazon.nova-pro-v1:0'), undefined)
  const { encode, decode } = counterFor(provider, 'eu.anthropic.claude-x:0')!
  const wire = encode({ request: REQUEST }, { baseUrl: 'https://host', model: 'eu.anthropic.claude-x:0' })
  assert.equal(wire.url, 'https://host/model/eu.anthropic.claude-x%3A0/count-tokens')
  const { input } = bodyOf(wire) as { input: { invokeModel: { body: string } } }
  const inner = JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())
  assert.deepEqual([inner.anthropic_version, inner.messages], ['bedrock-2023-05-31', REQUEST.messages])
  assert.ok(!('stream' in inner) && !('model' in inner))
  assert.equal(decode({ inputTokens: 14 }), 14)
})

describe('Gemini', () => {
  const { encode, decode } = counterFor({ dialect: 'gemini' }, 'x')!
  const speech = {
    contents: [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      {
        role: 'model',
        parts: [{ text: 'I look.' }, { functionCall: { name: 'weather', args: { city: 'Oslo' } } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { result: 'rain' } } },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0K' } },
          { text: 'a page' },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'weather', description: 'Weather', parametersJsonSchema: SCHEMA }] }],
  }

  test('AI Studio wants the whole request wrapped', () => {
    const wire = encode({ request: REQUEST }, { baseUrl: 'https://host/v1beta', model: 'gemini-x' })
    assert.equal(wire.url, 'https://host/v1beta/models/gemini-x:countTokens')
    assert.deepEqual(bodyOf(wire), { generateContentRequest: { model: 'models/gemini-x', ...speech } })
    assert.equal(decode({ totalTokens: 14 }), 14)
  })

  test('Vertex AI gets the request without the wrapper', () => {
    const wire = encode({ request: REQUEST }, { baseUrl: 'https://host/publishers/google', model: 'gemini-x' })
    assert.deepEqual(bodyOf(wire), speech)
  })

  test('pictures by address and inside results', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/x.png' } }
    const content = [{ type: 'tool_result', tool_use_id: '?', content: [image] }, image]
    const request = { model: 'x', messages: [{ role: 'user', content }] }
    const { contents } = bodyOf(encode({ request }, { baseUrl: 'https://host/publishers/google', model: 'x' }))
    const fileData = { fileUri: 'https://example.com/x.png' }
    const functionResponse = { name: 'tool', response: { result: '' } }
    assert.deepEqual(contents, [{ role: 'user', parts: [{ functionResponse }, { fileData }, { fileData }] }])
  })
})

describe('OpenAI', () => {
  test('only OpenAI itself has a counter', () => {
    assert.equal(counterFor({ dialect: 'openai' }, 'x'), undefined)
    assert.equal(counterFor(PROVIDERS.groq!, 'x'), undefined)
    assert.equal(counterFor({}, 'x'), undefined)
  })

  const { encode, decode } = counterFor(PROVIDERS.openai!, 'x')!
  const target = { baseUrl: 'https://host/v1', model: 'gpt-x' }

  test('as input of the Responses format', () => {
    const wire = encode({ request: REQUEST }, target)
    assert.equal(wire.url, 'https://host/v1/responses/input_tokens')
    assert.deepEqual(bodyOf(wire), {
      model: 'gpt-x',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call-1', name: 'weather', arguments: '{"city":"Oslo"}' },
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0K' },
            { type: 'input_text', text: 'a page' },
          ],
        },
        { type: 'function_call_output', call_id: 'call-1', output: 'rain' },
      ],
      tools: [{ type: 'function', name: 'weather', description: 'Weather', parameters: SCHEMA, strict: false }],
      tool_choice: 'required',
    })
    assert.equal(decode({ object: 'response.input_tokens', input_tokens: 14 }), 14)
  })

  test('files, and a tool that must be called', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0' }
    const content = [
      { type: 'document', source: pdf },
      { type: 'document', source: { type: 'url', url: 'https://example.com/x.pdf' } },
    ]
    const request = {
      ...REQUEST,
      messages: [{ role: 'user', content }],
      tool_choice: { type: 'tool', name: 'weather' },
    }
    const { input, tool_choice } = bodyOf(encode({ request }, target))
    const files = [
      { type: 'input_file', filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBERi0' },
      { type: 'input_file', file_url: 'https://example.com/x.pdf' },
    ]
    assert.deepEqual(input, [{ role: 'user', content: files }])
    assert.deepEqual(tool_choice, { type: 'function', name: 'weather' })
  })
})

test('an answer without a number tells none', () => {
  for (const dialect of ['anthropic', 'gemini'] as const)
    assert.equal(counterFor({ dialect }, 'x')!.decode({}), undefined)
})

function bodyOf({ body }: WireRequest): Record<string, unknown> {
  return JSON.parse(String(body))
}
