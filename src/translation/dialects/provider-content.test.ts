import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messagesOf } from '../../../test/fakes/fold-chunks.ts'
import type { Message } from '../../contract/chat.ts'
import type { ChatChunk, ReplyMessage } from '../../contract/chat-reply.ts'
import type { Fields } from '../../base/schema/record.ts'
import type { ChatCodec, Target } from './chat-codec.ts'
import { DIALECTS } from './index.ts'
import type { Compat } from './openai/compat.ts'

// Anthropic's own test has more of its blocks; this one has the other makers.

const TARGET: Target = { baseUrl: 'https://provider.test/v1', model: 'm' }
const QUESTION: Message = { role: 'user', content: 'What is it?' }

describe('gemini', () => {
  const { chat } = DIALECTS.gemini
  const parts = [
    { text: 'Let me compute. ' },
    { executableCode: { language: 'PYTHON', code: 'print(2**10)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1024\n' } },
    { text: 'It is 1024.', thoughtSignature: 'c2ln' },
    { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['1024'] }, id: 's1' } },
    { toolResponse: { toolType: 'GOOGLE_SEARCH_WEB', response: {}, id: 's1' } },
    { functionCall: { name: 'save', args: { x: 1 }, id: 'c1' } },
  ]
  const groundingMetadata = {
    webSearchQueries: ['1024'],
    searchEntryPoint: { renderedContent: '<b>1024</b>' },
    groundingChunks: [
      { web: { uri: 'https://a.test/', title: 'A' } },
      { retrievedContext: { title: 'Notes', documentName: 'docs/7', text: 'Powers of two' } },
    ],
    groundingSupports: [
      { segment: { startIndex: 16, endIndex: 27, text: 'It is 1024.' }, groundingChunkIndices: [0, 1] },
    ],
  }
  const citationMetadata = { citationSources: [{ startIndex: 0, endIndex: 3, uri: 'https://b.test/' }] }
  const about = { groundingMetadata, citationMetadata }
  const whole = chat.decode(JSON.stringify(replyOf(parts, about))).choices[0]!.message
  const events = parts.map((part, at) => replyOf([part], at === parts.length - 1 ? about : {}, at === parts.length - 1))
  const streamed = streamedBy(chat, events)

  test('carries its parts and what it says about sources, whole and streamed', () => {
    assert.deepEqual(streamed.provider_content, whole.provider_content)
    assert.deepEqual(whole.provider_content?.blocks.at(-1), { type: 'metadata', metadata: about })
  })

  test('gets its parts back in their order', () => {
    for (const message of [whole, streamed]) assert.deepEqual(sentParts(message), parts)
  })

  test('cites pages, documents and recited passages', () => {
    assert.deepEqual(whole.annotations, [
      { type: 'url_citation', url_citation: { start_index: 16, end_index: 27, url: 'https://a.test/', title: 'A' } },
      {
        type: 'document_citation',
        document_citation: {
          start_index: 16,
          end_index: 27,
          title: 'Notes',
          id: 'docs/7',
          cited_text: 'Powers of two',
        },
      },
      { type: 'url_citation', url_citation: { start_index: 0, end_index: 3, url: 'https://b.test/', title: '' } },
    ])
  })

  function sentParts(message: ReplyMessage): unknown {
    const { wire } = chat.encode({ request: { model: 'm', messages: conversation(message) } }, TARGET)
    return JSON.parse(String(wire.body)).contents[1].parts
  }

  function replyOf(parts: object[], candidate: object, isLast = true): object {
    const finish = isLast ? { finishReason: 'STOP' } : {}
    return { responseId: 'r1', candidates: [{ content: { role: 'model', parts }, ...finish, ...candidate }] }
  }
})

describe('bedrock', () => {
  const { chat } = DIALECTS.bedrock
  const call = {
    toolUse: { toolUseId: 't1', name: 'nova_code_interpreter', type: 'server_tool_use', input: { snippet: '1+1' } },
  }
  const result = {
    toolResult: { toolUseId: 't1', type: 'nova_code_interpreter_result', content: [{ json: { stdOut: '2' } }] },
  }
  const image = { image: { format: 'png', source: { bytes: 'AAAA' } } }
  const ours = { toolUse: { toolUseId: 't2', name: 'save', input: { x: 2 } } }
  const content = [{ text: 'Let me see. ' }, call, result, { text: 'It is 2.' }, image, ours]
  const reply = { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use' }
  const whole = chat.decode(JSON.stringify(reply)).choices[0]!.message
  const { input, ...begun } = call.toolUse
  const { content: results, ...opened } = result.toolResult
  const streamed = streamedBy(
    chat,
    [
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Let me see. ' } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: begun } }],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"snippet":' } } }],
      [
        'contentBlockDelta',
        { contentBlockIndex: 1, delta: { toolUse: { input: `${JSON.stringify(input.snippet)}}` } } },
      ],
      ['contentBlockStop', { contentBlockIndex: 1 }],
      ['contentBlockStart', { contentBlockIndex: 2, start: { toolResult: opened } }],
      ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolResult: results } }],
      ['contentBlockStop', { contentBlockIndex: 2 }],
      ['contentBlockDelta', { contentBlockIndex: 3, delta: { text: 'It is 2.' } }],
      ['contentBlockStop', { contentBlockIndex: 3 }],
      ['contentBlockStart', { contentBlockIndex: 4, start: { image: { format: 'png' } } }],
      ['contentBlockDelta', { contentBlockIndex: 4, delta: { image: { source: { bytes: 'AAAA' } } } }],
      ['contentBlockStop', { contentBlockIndex: 4 }],
      ['contentBlockStart', { contentBlockIndex: 5, start: { toolUse: { toolUseId: 't2', name: 'save' } } }],
      ['contentBlockDelta', { contentBlockIndex: 5, delta: { toolUse: { input: '{"x":2}' } } }],
      ['contentBlockStop', { contentBlockIndex: 5 }],
      ['messageStop', { stopReason: 'tool_use' }],
    ].map(([event, data]) => ({ event: String(event), data })),
  )

  test('a call that Amazon answers itself is no call for the caller', () => {
    for (const { tool_calls } of [whole, streamed])
      assert.deepEqual(
        tool_calls?.map(({ id }) => id),
        ['t2'],
      )
  })

  test('carries its blocks, and gets them back in their order', () => {
    assert.deepEqual(streamed.provider_content, whole.provider_content)
    const { wire, notes } = chat.encode({ request: { model: 'm', messages: conversation(whole) } }, TARGET)
    const { messages, toolConfig } = JSON.parse(String(wire.body))
    assert.deepEqual(messages[1].content, content)
    assert.deepEqual(
      toolConfig.tools.map(({ toolSpec }: Fields) => (toolSpec as Fields).name),
      ['save'],
    )
    assert.ok(!notes.some(({ field }) => field === 'messages.provider_content'))
  })
})

describe('hosts that answer in parts', () => {
  const { chat } = DIALECTS.openai
  const reference = { type: 'reference', reference_ids: [1, 2] }
  const file = { type: 'tool_file', tool: 'image_generation', file_id: 'f1' }
  const content = [{ type: 'text', text: 'See' }, reference, { type: 'text', text: ' this.' }, file]

  for (const [maker, compat] of [
    ['mistral', { mistral: true }],
    ['parts', {}],
  ] as [string, Compat][]) {
    const whole = chat.decode(
      JSON.stringify(replyOf({ message: { role: 'assistant', content }, finish_reason: 'stop' })),
      { compat },
    )
    const { message } = whole.choices[0]!
    const deltas = [
      { role: 'assistant', content: 'See' },
      { content: [reference] },
      { content: ' this.' },
      { content: [file] },
    ]
    const events = deltas.map((delta, at) => replyOf({ delta, finish_reason: at === 3 ? 'stop' : null }))

    test(`${maker}: parts that are not text are carried, whole and streamed`, () => {
      assert.equal(message.content, 'See this.')
      assert.equal(message.provider_content?.type, maker)
      for (const part of [reference, file])
        assert.ok(JSON.stringify(message.provider_content).includes(JSON.stringify(part)))
      const streamed = streamedBy(chat, events, { compat })
      if (maker === 'mistral') assert.deepEqual(streamed.provider_content, message.provider_content)
      for (const part of [reference, file])
        assert.ok(JSON.stringify(streamed.provider_content).includes(JSON.stringify(part)))
    })

    test(`${maker}: they go back only where they are known to be accepted`, () => {
      const { wire, notes } = chat.encode(
        { request: { model: 'm', messages: conversation(message) } },
        { ...TARGET, compat },
      )
      const [, assistant] = JSON.parse(String(wire.body)).messages
      assert.deepEqual(assistant.content, maker === 'mistral' ? content : 'See this.')
      assert.equal(assistant.provider_content, undefined)
      assert.equal(notes.length, maker === 'mistral' ? 0 : 1)
    })
  }

  test('what Groq executed is returned, but not sent back', () => {
    const executed_tools = [{ index: 0, type: 'search', arguments: '{}', output: 'x' }]
    const message = { role: 'assistant', content: 'Hi', executed_tools }
    const decoded = chat.decode(JSON.stringify(replyOf({ message, finish_reason: 'stop' }))).choices[0]!.message
    assert.deepEqual((decoded as Fields).executed_tools, executed_tools)
    const { wire, notes } = chat.encode({ request: { model: 'm', messages: conversation(decoded) } }, TARGET)
    assert.ok(!String(wire.body).includes('executed_tools'))
    assert.deepEqual(
      notes.map(({ field }) => field),
      ['messages.executed_tools'],
    )
  })

  function replyOf(choice: Fields): Fields {
    return { id: 'c1', created: 1, model: 'm', object: 'chat.completion', choices: [{ index: 0, ...choice }] }
  }
})

describe('cohere', () => {
  const { chat } = DIALECTS.cohere
  const unknown = { type: 'hologram', frames: [1] }
  const content = [{ type: 'text', text: 'See' }, unknown, { type: 'text', text: ' this.' }]
  const reply = { id: 'c', message: { role: 'assistant', content }, finish_reason: 'COMPLETE' }
  const { message } = chat.decode(JSON.stringify(reply)).choices[0]!

  test('a block of an unknown type is carried and goes back in its place', () => {
    const events = content.map((block, index) => ({
      type: 'content-start',
      index,
      delta: { message: { content: block } },
    }))
    const streamed = streamedBy(chat, [...events, { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }])
    assert.deepEqual(streamed.provider_content, message.provider_content)
    const { wire } = chat.encode({ request: { model: 'm', messages: conversation(message) } }, TARGET)
    assert.deepEqual(JSON.parse(String(wire.body)).messages[1].content, content)
  })
})

function conversation(reply: ReplyMessage): Message[] {
  const results = (reply.tool_calls ?? []).map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'ok' }))
  return [QUESTION, reply as Message, ...results, { role: 'user', content: 'And then?' }]
}

function streamedBy(chat: ChatCodec, events: object[], target?: { compat: Compat }): ReplyMessage {
  const decoder = chat.decoder({ model: 'm', messages: [], stream: true }, target)
  const chunks: ChatChunk[] = events.flatMap((event) => {
    const { event: name, data = event } = event as { event?: string; data?: object }
    return decoder.feed({ ...(name && { event: name }), data: JSON.stringify(data) })
  })
  return messagesOf(chunks)[0] as ReplyMessage
}
