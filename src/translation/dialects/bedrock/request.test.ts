import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ModelTraits } from '../model-traits.ts'
import { Problem } from '../../../contract/problems.ts'
import type { Target } from '../chat-codec.ts'
import { bedrock } from './index.ts'

const CLAUDE = 'eu.anthropic.claude-test-v1:0'
const NOVA = 'amazon.nova-2-lite-v1:0'
const LLAMA = 'meta.llama4-scout-v1:0'
const HI: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false }
const FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } }
const TOOLS = [{ type: 'function', function: { name: 'f', description: 'F', parameters: SCHEMA, strict: true } }]

describe('the address', () => {
  test('the model is a part of the path, encoded', () => {
    assert.equal(wireOf({}).url, 'https://bedrock.test/model/eu.anthropic.claude-test-v1%3A0/converse')
    const arn = 'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude'
    const { url } = wireOf({ stream: true }, { model: arn })
    assert.ok(
      url.endsWith(
        '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.anthropic.claude/converse-stream',
      ),
    )
  })

  test('headers: those of the caller are added, ours are not replaced, and there is no credential', () => {
    const { headers } = wireOf({ stream: true, extra_headers: { 'X-Team': 'blue', Accept: 'text/html' } })
    assert.deepEqual(headers, {
      'content-type': 'application/json',
      accept: 'application/vnd.amazon.eventstream',
      'x-team': 'blue',
    })
  })
})

describe('settings', () => {
  test('a plain call has nothing but its messages', () => {
    assert.deepEqual(bodyOf({}), { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
    assert.deepEqual(
      notesOf({ n: 3, logprobs: false, presence_penalty: 0, modalities: ['text'], service_tier: 'auto' }),
      [],
    )
  })

  test('inference settings; temperature has its bounds, and blanks are no stop', () => {
    const options = { max_tokens: 9, max_completion_tokens: 10, temperature: 1.7, stop: ['END', ' '] }
    assert.deepEqual(bodyOf(options).inferenceConfig, { maxTokens: 10, temperature: 1, stopSequences: ['END'] })
    assert.deepEqual(notesOf(options), ['translated temperature'])
    assert.deepEqual(bodyOf({ stop: 'END', top_p: 0.3 }).inferenceConfig, { topP: 0.3, stopSequences: ['END'] })
  })

  test('Claude takes no top_p beside temperature; others do', () => {
    assert.deepEqual(bodyOf({ temperature: 0, top_p: 0.5 }).inferenceConfig, { temperature: 0 })
    assert.deepEqual(bodyOf({ temperature: 0, top_p: 0.5 }, { model: NOVA }).inferenceConfig, {
      temperature: 0,
      topP: 0.5,
    })
  })

  test('a tier and metadata are sent as far as Bedrock accepts them', () => {
    assert.deepEqual(bodyOf({ service_tier: 'flex' }).serviceTier, { type: 'flex' })
    assert.deepEqual(notesOf({ service_tier: 'scale' }), ['dropped service_tier'])
    const metadata = { team: 'blue', run: 7, 'bad{}': 'x', long: 'x'.repeat(300) }
    assert.deepEqual(bodyOf({ metadata }).requestMetadata, { team: 'blue', run: '7' })
    assert.deepEqual(notesOf({ metadata }), ['dropped metadata'])
  })

  test('unknown fields go to the vendor of the model, and extra_body overrides everything', () => {
    const request: Partial<ChatRequest> & Fields = { top_k: 5, anthropic_beta: ['x'] }
    const top: Partial<ChatRequest> & Fields = { top_k: 5 }
    assert.deepEqual(bodyOf(request).additionalModelRequestFields, request)
    assert.deepEqual(bodyOf(top, { model: NOVA }).additionalModelRequestFields, {
      inferenceConfig: { topK: 5 },
    })
    const extra_body = { guardrailConfig: { guardrailIdentifier: 'g' }, inferenceConfig: { temperature: 0.1 } }
    const body = bodyOf({ max_tokens: 5, temperature: 1, extra_body })
    assert.deepEqual(body.inferenceConfig, { maxTokens: 5, temperature: 0.1 })
    assert.deepEqual(body.guardrailConfig, { guardrailIdentifier: 'g' })
  })

  test('traits and field rules: refused fields are dropped with a note', () => {
    const target = {
      traits: { refuses: ['temperature', 'tool_choice'] },
      fieldRules: { drop: ['stop'], rename: { seed: 'random_seed' }, defaults: { max_tokens: 77 } },
    }
    const options = { temperature: 1, stop: 'x', seed: 4, tools: TOOLS, tool_choice: 'required' as const }
    const body = bodyOf(options, target)
    assert.deepEqual(body.inferenceConfig, { maxTokens: 77 })
    assert.deepEqual(body.additionalModelRequestFields, { random_seed: 4 })
    assert.equal((body.toolConfig as Fields).toolChoice, undefined)
    assert.deepEqual(notesOf(options, target), [
      'dropped stop',
      'renamed seed',
      'dropped temperature',
      'translated tool_choice',
    ])
  })
})

describe('tools', () => {
  const spec = { toolSpec: { name: 'f', description: 'F', inputSchema: { json: SCHEMA }, strict: true } }

  test('are declared, and tool_choice becomes a choice of Bedrock', () => {
    assert.deepEqual(bodyOf({ tools: TOOLS, tool_choice: 'auto' }).toolConfig, { tools: [spec] })
    assert.deepEqual(toolChoice('required'), { any: {} })
    assert.deepEqual(toolChoice({ type: 'function', function: { name: 'f' } }), { tool: { name: 'f' } })
    assert.equal(bodyOf({ tools: TOOLS, tool_choice: 'none' }).toolConfig, undefined)
    assert.equal(bodyOf({ tools: [], tool_choice: 'required' }).toolConfig, undefined)
  })

  test('that are not among the allowed tools are not sent', () => {
    const tools = [...TOOLS, { type: 'function', function: { name: 'g' } }]
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] }
    const body = bodyOf({ tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } })
    assert.deepEqual(body.toolConfig, { tools: [spec], toolChoice: { any: {} } })
  })

  test('may have the legacy form `functions`', () => {
    const functions = [{ name: 'f', description: 'F', parameters: SCHEMA, strict: true }]
    const request = { functions, function_call: { name: 'f' } }
    assert.deepEqual(bodyOf(request).toolConfig, { tools: [spec], toolChoice: { tool: { name: 'f' } } })
    assert.deepEqual(notesOf(request), ['translated functions'])
  })

  test('one call at a time: in the format of Claude, instead of the choice of Bedrock; not supported for others', () => {
    const request = { tools: TOOLS, tool_choice: 'required' as const, parallel_tool_calls: false }
    const body = bodyOf(request)
    assert.deepEqual(body.toolConfig, { tools: [spec] })
    assert.deepEqual(body.additionalModelRequestFields, {
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    })
    assert.deepEqual(notesOf(request, { model: LLAMA }), ['dropped parallel_tool_calls'])
    assert.equal(bodyOf({ parallel_tool_calls: false }).additionalModelRequestFields, undefined)
  })

  test('a conversation that has called tools declares them, even where none may be called', () => {
    const messages: ChatRequest['messages'] = [
      ...HI,
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ]
    const declared = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }] }
    assert.deepEqual(bodyOf({ messages }).toolConfig, declared)
    assert.deepEqual(bodyOf({ messages, tools: TOOLS, tool_choice: 'none' }).toolConfig, { tools: [spec] })
    assert.deepEqual(notesOf({ messages, tools: TOOLS, tool_choice: 'none' }), ['translated tool_choice'])
  })

  test('invalid tools and choices are refused at their path', () => {
    refused({ tools: [{ type: 'web_search' }] }, 'tools.0.type')
    refused({ tools: [{ type: 'function', function: {} }] }, 'tools.0.function.name')
    refused({ tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] }, 'tools.0.function.parameters')
    refused({ tools: [{ type: 'function', function: { name: 'f.g' } }] }, 'tools')
    refused({ tools: TOOLS, tool_choice: { type: 'function', function: { name: 'g' } } }, 'tool_choice')
    refused({ tools: TOOLS, tool_choice: { type: 'magic' } }, 'tool_choice')
    refused({ tools: TOOLS }, 'tools', { traits: { lacks: ['tools'] } })
  })

  function toolChoice(tool_choice: ChatRequest['tool_choice']): unknown {
    return (bodyOf({ tools: TOOLS, tool_choice }).toolConfig as Fields).toolChoice
  }
})

describe('the format of the answer', () => {
  const jsonSchema = { name: 'answer', schema: JSON.stringify(SCHEMA) }

  test('a schema, in the field of Bedrock', () => {
    const body = bodyOf({ response_format: FORMAT })
    assert.deepEqual(body.outputConfig, { textFormat: { type: 'json_schema', structure: { jsonSchema } } })
  })

  test('the effort of Claude is beside the schema, not among fields that would contradict it', () => {
    const body = bodyOf({ response_format: FORMAT, reasoning_effort: 'low' })
    assert.equal((body.outputConfig as Fields).effort, 'low')
    assert.deepEqual(body.additionalModelRequestFields, { thinking: { type: 'adaptive', display: 'summarized' } })
  })

  test('a model without schemas has to call a tool with the answer; together with tools it is instructed in words', () => {
    const traits: ModelTraits = { lacks: ['json_schema'] }
    const forced = bodyOf({ response_format: FORMAT }, { traits }).toolConfig as { tools: Fields[]; toolChoice: Fields }
    assert.deepEqual(forced.toolChoice, { tool: { name: 'gatehouse_json_answer' } })
    assert.deepEqual((forced.tools[0]!.toolSpec as Fields).inputSchema, { json: SCHEMA })
    const { system, outputConfig } = bodyOf({ response_format: FORMAT, tools: TOOLS }, { traits })
    assert.match((system as { text: string }[])[0]!.text, /JSON schema: \{"type":"object"/)
    assert.equal(outputConfig, undefined)
    const unforced: ModelTraits = { ...traits, refuses: ['tool_choice'] }
    assert.equal(bodyOf({ response_format: FORMAT }, { traits: unforced }).toolConfig, undefined)
    const together = { traits: { lacks: ['json_schema_with_tools'] } as ModelTraits }
    assert.ok(bodyOf({ response_format: FORMAT }, together).outputConfig)
    assert.equal(bodyOf({ response_format: FORMAT, tools: TOOLS }, together).outputConfig, undefined)
  })

  test('plain JSON is requested in words, as user text if there is no system prompt', () => {
    const request = { response_format: { type: 'json_object' } }
    assert.match(JSON.stringify(bodyOf(request).system), /one JSON object/)
    const [message] = bodyOf(request, { traits: { lacks: ['system'] } }).messages as { content: Fields[] }[]
    assert.deepEqual(message?.content.length, 2)
    assert.deepEqual(notesOf(request), ['translated response_format'])
    assert.deepEqual(notesOf({ response_format: { type: 'text' } }), [])
    assert.deepEqual(notesOf({ response_format: { type: 'json_schema' } }).length, 2)
  })
})

type Fields = Record<string, unknown>
type Changes = Partial<Target>

function wireOf(request: Partial<ChatRequest>, changes: Changes = {}) {
  return encoded(request, changes).wire
}

function bodyOf(request: Partial<ChatRequest>, changes: Changes = {}): Fields {
  return JSON.parse(String(wireOf(request, changes).body))
}

function notesOf(request: Partial<ChatRequest>, changes: Changes = {}): string[] {
  return encoded(request, changes).notes.map(({ action, field }) => `${action} ${field}`)
}

function encoded(request: Partial<ChatRequest>, changes: Changes) {
  const target = { baseUrl: 'https://bedrock.test', model: CLAUDE, credential: 'secret', ...changes }
  return bedrock.chat.encode({ request: { model: 'm', messages: HI, ...request } }, target)
}

function refused(request: Partial<ChatRequest>, param: string, changes: Changes = {}) {
  assert.throws(
    () => bodyOf(request, changes),
    (error) => {
      assert.ok(error instanceof Problem)
      assert.equal(error.details.param, param)
      assert.deepEqual(error.details.detail?.[0]?.loc.join('.'), `body.${param}`)
      assert.match(error.message, /Amazon Bedrock/)
      return true
    },
  )
}
