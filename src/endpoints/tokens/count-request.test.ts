import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CountTokensRequest } from '../../contract/tokens.ts'
import { countRequest } from './count-request.ts'

const NEVER = new AbortController().signal
const MODELS = ['gpt-4o', 'claude-sonnet-4-5', 'claude-opus-5', 'gemini-2.5-pro', 'gpt-oss-20b', 'unknown/model']
const PNG = Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(40, '\0'), 'latin1').toString('base64')
const PDF = Buffer.from('%PDF-1.7 /Type /Pages /Type /Page /Type/Page >>').toString('base64')

type Part = Partial<CountTokensRequest> & Record<string, unknown>

function count(part: Part, model = 'gpt-4o'): Promise<number> {
  return countRequest({ model, messages: [], ...part }, model, NEVER)
}

function said(content: CountTokensRequest['messages'][number]['content'], role = 'user') {
  return { messages: [{ role, content }] }
}

describe('known counts', () => {
  test('OpenAI: 3 for the answer, 3 for each message and its role', async () => {
    assert.equal(await count(said('hello world')), 3 + 4 + 2)
    assert.equal(await count({ system: 'hello world', ...said('hello world') }), 3 + 4 + 2 + 4 + 2)
  })

  // Two examples of Anthropic's own documentation, which says 14 and 403.
  test('Claude: near what Anthropic publishes', async () => {
    const short = await count({ system: 'You are a scientist', ...said('Hello, Claude') }, 'claude-sonnet-4-5')
    assert.ok(Math.abs(short - 14) <= 2, String(short))
    const location = { type: 'string', description: 'The city and state, e.g. San Francisco, CA' }
    const input_schema = { type: 'object', properties: { location }, required: ['location'] }
    const tools = [{ name: 'get_weather', description: 'Get the current weather in a given location', input_schema }]
    const long = await count({ ...said("What's the weather like in San Francisco?"), tools }, 'claude-sonnet-4-0')
    assert.ok(Math.abs(long - 403) <= 0.12 * 403, String(long))
  })
})

describe('blocks', () => {
  test('each kind weighs something, and only what is shown', async () => {
    const empty = await count(said([]))
    const more = async (block: object) => (await count(said([block as Record<string, unknown>]))) - empty
    const base64 = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
    assert.equal(await more({ type: 'text', text: 'hello world' }), 2)
    assert.equal(await more({ type: 'image', source: base64('image/png', PNG) }), 765)
    assert.equal(await more({ type: 'image', source: { type: 'url', url: 'https://example.com/x.png' } }), 765)
    const onePage = await more({ type: 'document', source: { type: 'file', file_id: 'x' } })
    assert.equal(await more({ type: 'document', source: base64('application/pdf', PDF) }), 2 * onePage)
    const text = { type: 'text', media_type: 'text/plain', data: 'hello world' }
    assert.equal(await more({ type: 'document', source: text }), 2)
    const encoded = base64('text/plain', Buffer.from('hello world').toString('base64'))
    assert.equal(await more({ type: 'document', source: encoded }), 2)
    const parts = { type: 'content', content: [{ type: 'text', text: 'hello world' }] }
    assert.equal(await more({ type: 'document', title: 'hello', source: parts }), 3)
    assert.ok((await more({ type: 'tool_use', id: 'x', name: 'weather', input: { city: 'Oslo' } })) > 5)
    assert.ok((await more({ type: 'of_tomorrow', words: 'hello world' })) > 2)
  })

  test('results of tools: text, blocks and pictures inside', async () => {
    const result = (content: unknown) => said([{ type: 'tool_result', tool_use_id: 'x', content }])
    const plain = await count(result('hello world'))
    assert.equal(await count(result([{ type: 'text', text: 'hello world' }])), plain)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
    assert.equal(await count(result([{ type: 'text', text: 'hello world' }, image])), plain + 765)
    assert.ok((await count(result(undefined))) < plain)
  })

  test('thoughts count in the turn that goes on, and not in those before', async () => {
    const thinking = { type: 'thinking', thinking: 'so many thoughts about this', signature: 'x' }
    const request = { role: 'user', content: 'why?' }
    const call = { type: 'tool_use', id: 'x', name: 'look', input: {} }
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'ok' }] }
    const length = (content: Record<string, unknown>[], last: object) => {
      return count({ messages: [request, { role: 'assistant', content }, last] as CountTokensRequest['messages'] })
    }
    assert.equal((await length([thinking, call], result)) - (await length([call], result)), 5)
    assert.equal(await length([thinking, call], request), await length([call], request))
  })
})

describe('tools', () => {
  test('OpenAI: by the published rule, nested objects and lists as well', async () => {
    const plain = await count(said('hi'))
    const properties = { unit: { type: 'string', description: 'unit.', enum: ['a', 'b'] } }
    const tool = (input_schema: object) => [{ name: 'weather', description: 'Weather.', input_schema }]
    const words = ['weather:Weather', 'unit:string:unit', 'a', 'b']
    const counts = await Promise.all(words.map(async (text) => (await count(said(text))) - (await count(said('')))))
    const inWords = counts.reduce((sum, tokens) => sum + tokens)
    // 7 for the function, 3 that it has properties, 3 for one, for two values 3 each but 3 less, 12 at the end.
    const flat = await count({ ...said('hi'), tools: tool({ type: 'object', properties }) })
    assert.equal(flat - plain, inWords + 7 + 3 + 3 + (2 * 3 - 3) + 12)
    const nested = { type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties } } } }
    assert.ok((await count({ ...said('hi'), tools: tool(nested) })) > flat)
  })

  test('Claude: instructions that depend on the choice', async () => {
    const tools = [{ name: 'weather', input_schema: { type: 'object' } }]
    const of = (type: string) => count({ ...said('hi'), tools, tool_choice: { type } }, 'claude-sonnet-4-5')
    assert.ok((await of('any')) > (await of('auto')))
    assert.equal(await of('of tomorrow'), await of('auto'))
    const bash = [{ type: 'bash_20250124', name: 'bash' }]
    assert.ok((await count({ ...said('hi'), tools: bash }, 'claude-sonnet-4-5')) > 245 + 300)
  })
})

describe('laws', () => {
  const model = fc.constantFrom(...MODELS)
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 })

  // Inside a word more letters may well be fewer tokens: `strawberr` is three, `strawberry` is fewer.
  test('more words are never fewer tokens', async () => {
    const property = fc.asyncProperty(model, words, words, async (model, some, more) => {
      const [short, long] = [some.join(' '), [...some, ...more].join(' ')]
      assert.ok((await count(said(short), model)) <= (await count(said(long), model)))
      const blocks = [short, more.join(' ')].map((text) => ({ type: 'text', text }))
      assert.ok((await count(said(short), model)) <= (await count(said(blocks), model)))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  test('a text weighs the same as text and as a block', async () => {
    const property = fc.asyncProperty(model, fc.string({ unit: 'grapheme' }), async (model, text) => {
      const block = [{ type: 'text', text }]
      assert.equal(await count(said(text), model), await count(said(block), model))
      const [plain, blocks] = [
        { system: text, ...said('hi') },
        { system: block, ...said('hi') },
      ]
      assert.equal(await count(plain, model), await count(blocks, model))
    })
    await fc.assert(property, { numRuns: 40 })
  })

  test('always a whole number, whatever stands in the fields', async () => {
    const type = fc.constantFrom('text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'source', 'x')
    const source = fc.oneof(fc.jsonValue(), fc.record({ type: fc.jsonValue(), data: fc.jsonValue() }))
    const block = fc.record({ type, source, text: fc.jsonValue(), input: fc.jsonValue(), content: fc.jsonValue() })
    const tool = fc.record({ name: fc.jsonValue(), type: fc.jsonValue(), input_schema: fc.jsonValue() })
    const property = fc.asyncProperty(model, fc.array(block), fc.array(tool), async (model, blocks, tools) => {
      const tokens = await count({ ...said(blocks as Record<string, unknown>[]), tools }, model)
      assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, String(tokens))
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('names that every object has are names like others', async () => {
    for (const type of ['constructor', '__proto__', '__defineGetter__', 'toString']) {
      const tools = [{ name: type, type, input_schema: { properties: { [type]: { type } } } }]
      for (const model of MODELS) {
        const tokens = await count({ ...said([{ type }]), tools, tool_choice: { type } }, model)
        assert.ok(Number.isSafeInteger(tokens) && tokens > 0, `${type} ${model} ${tokens}`)
      }
    }
  })
})
