import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatChunk, ChatCompletion, Delta, ReplyMessage } from '../../contract/chat-reply.ts'
import type { Fields } from '../../base/schema/record.ts'
import { ChatEvents } from './cohere/chat-events.ts'
import { fromCompletion as toCohere } from './cohere/from-completion.ts'
import { CompletionEvents } from './completions/completion-events.ts'
import { fromCompletion as toText } from './completions/from-completion.ts'
import { HEAD, REQUEST, USAGE } from './fixtures/server-steps.ts'
import { eventFraming } from './gemini/framings.ts'
import { fromCompletion as toGemini } from './gemini/from-completion.ts'
import { GeminiEvents } from './gemini/gemini-events.ts'
import { fromCompletion as toMessage } from './messages/from-completion.ts'
import { MessageEvents } from './messages/message-events.ts'
import { ResponseEvents } from './responses/response-events.ts'
import { fromCompletion as toResponse } from './responses/response-object.ts'
import { OTHER_FORMATS, type OtherFormat, unseenIn } from './unseen-content.ts'

// A client sees everything that a provider answers in its format, or is told that its format cannot show it.

const MARK = 'xyzzy'
const TEXT = { type: 'text', start_index: 0, end_index: 5 }

/** The items of the responses wire, and one that is not known yet. */
const ITEMS: Fields[] = [
  { type: 'web_search_call', action: { type: 'search', query: MARK } },
  { type: 'file_search_call', queries: [MARK], results: null },
  { type: 'code_interpreter_call', code: MARK, container_id: 'c', outputs: [] },
  { type: 'image_generation_call', result: MARK },
  { type: 'mcp_call', name: MARK, server_label: 's', arguments: '{}', output: 'ok' },
  { type: 'mcp_list_tools', server_label: MARK, tools: [] },
  { type: 'mcp_approval_request', name: MARK, server_label: 's', arguments: '{}' },
  { type: 'computer_call', action: { type: 'type', text: MARK } },
  { type: 'local_shell_call', action: { type: 'exec', command: [MARK] } },
  { type: 'shell_call', action: { commands: [MARK] } },
  { type: 'apply_patch_call', operation: { diff: MARK } },
  { type: 'tool_search_call', arguments: { query: MARK } },
  { type: 'compaction', encrypted_content: MARK },
  { type: 'hologram_call', frames: [MARK] },
]
const SEARCH = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: MARK } }
const OF_ANTHROPIC: Fields[][] = [
  [SEARCH],
  [SEARCH, { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }],
  [{ type: 'server_tool_use', id: 's2', name: 'bash_code_execution', input: { command: MARK } }],
  [{ type: 'server_tool_use', id: 's3', name: 'tool_search_tool_regex', input: { query: MARK } }],
  [{ type: 'mcp_tool_use', id: 'm1', name: MARK, server_name: 's', input: {} }],
  [{ type: 'compaction', content: MARK }],
  [{ type: 'container_upload', file_id: MARK }],
]
const PARTS_OF_GEMINI: Fields[] = [
  { executableCode: { language: 'PYTHON', code: MARK } },
  { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: { query: MARK } } },
  { toolCall: { id: 't', toolType: 'GOOGLE_MAPS', args: { query: MARK } } },
  { hologram: MARK },
]
const BLOCKS_OF_BEDROCK: Fields[] = [
  { toolUse: { toolUseId: 't', name: 'nova_grounding', type: 'server_tool_use', input: { query: MARK } } },
  { toolUse: { toolUseId: 't', name: 'hologram', type: 'server_tool_use', input: { query: MARK } } },
  { image: { format: 'png', source: { bytes: MARK } } },
]
const SPAN = { start_index: 0, end_index: 5 }
const ANNOTATIONS: Fields[] = [
  { type: 'url_citation', url_citation: { ...SPAN, url: `https://${MARK}.test/`, title: 'A' } },
  {
    type: 'document_citation',
    document_citation: { ...SPAN, title: MARK, document_index: 0, location: 'char_location' },
  },
  {
    type: 'document_citation',
    document_citation: { ...SPAN, sources: [{ type: 'document', id: MARK, document: {} }] },
  },
  { type: 'file_citation', file_citation: { file_id: MARK, filename: 'a.pdf', index: 5 } },
  { type: 'container_file_citation', container_file_citation: { ...SPAN, file_id: MARK, container_id: 'c' } },
  { type: 'file_path', file_path: { file_id: MARK, index: 5 } },
]
const CALL = { id: 'call_1', type: 'function', function: { name: MARK, arguments: '{}' } }

const KINDS: [name: string, message: Fields][] = [
  ...ITEMS.map((item): [string, Fields] => named('responses', item.type, { type: 'item', item })),
  ...OF_ANTHROPIC.map((blocks): [string, Fields] => named('anthropic', JSON.stringify(blocks), ...blocks)),
  ...PARTS_OF_GEMINI.map((part): [string, Fields] => named('gemini', JSON.stringify(part), { type: 'part', part })),
  named('gemini', 'metadata', { type: 'metadata', metadata: { groundingMetadata: { webSearchQueries: [MARK] } } }),
  ...BLOCKS_OF_BEDROCK.map((block): [string, Fields] =>
    named('bedrock', JSON.stringify(block), { type: 'block', block }),
  ),
  named('cohere', 'plan', { type: 'citation', citation: { start: 0, end: 1, text: MARK, type: 'PLAN' }, block: 0 }),
  named('cohere', 'block', { type: 'hologram', frames: MARK }),
  named('mistral', 'reference', { type: 'reference', reference_ids: [MARK] }),
  named('parts', 'file', { type: 'tool_file', file_id: MARK }),
  ...ANNOTATIONS.map((one): [string, Fields] => [`source: ${JSON.stringify(one)}`, { annotations: [one] }]),
  ['images', { images: [{ type: 'image_url', image_url: { url: `https://a.test/${MARK}.png` } }] }],
  ['audio', { audio: { id: 'a', data: 'AA', transcript: MARK } }],
  ['reasoning', { reasoning_content: MARK }],
  ['refusal', { refusal: MARK }],
  ['tool call', { tool_calls: [CALL] }],
  ['executed tool', { executed_tools: [{ index: 0, type: 'search', arguments: `{"query":"${MARK}"}`, output: 'A' }] }],
]

for (const format of OTHER_FORMATS)
  describe(`the format ${format}`, () => {
    for (const [name, fields] of KINDS)
      test(`shows or notes ${name}`, () => {
        const notes = unseenIn({ role: 'assistant', content: 'Gates', ...fields }, format)
        const isNoted = notes.length > 0
        const isCalled = 'tool_calls' in fields
        assert.equal(whole(format, fields, isCalled).includes(MARK), !isNoted, `whole: ${JSON.stringify(notes)}`)
        assert.equal(streamed(format, fields, isCalled).includes(MARK), !isNoted, `streamed: ${JSON.stringify(notes)}`)
      })

    test('says nothing about a text', () => {
      assert.deepEqual(unseenIn({ role: 'assistant', content: 'Gates', refusal: null, tool_calls: [] }, format), [])
    })
  })

test('a note names the kind of the content, and no name of a provider makes it long', () => {
  const [note] = unseenIn(named('responses', '', { type: 'item', item: ITEMS[3] })[1], 'cohere')
  assert.deepEqual(note, {
    field: 'message.provider_content.image_generation_call',
    action: 'dropped',
    reason: 'the format of Cohere cannot show it',
  })
  const long = { type: 'item', item: { type: 'x'.repeat(100_000) } }
  assert.deepEqual(
    unseenIn(named('responses', '', long)[1], 'gemini').map(({ field }) => field),
    ['message.provider_content'],
  )
  const kinds = Array.from({ length: 1_000 }, (_, at) => ({ type: 'item', item: { type: `kind_${at}` } }))
  assert.ok(unseenIn(named('responses', '', ...kinds)[1], 'messages').length <= 50)
})

test('sources that are more than a format shows are noted', () => {
  const annotations = Array.from({ length: 1_001 }, () => ANNOTATIONS[0])
  for (const format of OTHER_FORMATS)
    assert.equal(
      unseenIn({ annotations }, format).length,
      format === 'responses' ? 0 : format === 'completions' ? 2 : 1,
    )
})

function named(type: string, name: unknown, ...blocks: Fields[]): [string, Fields] {
  return [`${type}: ${String(name)}`, { provider_content: { type, blocks: [...blocks, TEXT] } }]
}

function whole(format: OtherFormat, fields: Fields, isCalled: boolean): string {
  const message = { role: 'assistant', content: 'Gates', ...fields } as ReplyMessage
  const finish_reason = isCalled ? 'tool_calls' : 'stop'
  const completion: ChatCompletion = {
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason }],
    usage: USAGE,
  }
  const write = {
    messages: () => toMessage(completion),
    gemini: () => toGemini(completion),
    cohere: () => toCohere(completion),
    completions: () => toText(completion, undefined),
    responses: () => toResponse(completion, REQUEST),
  }
  return JSON.stringify(write[format]())
}

function streamed(format: OtherFormat, { tool_calls, ...fields }: Fields, isCalled: boolean): string {
  const deltas = [{ role: 'assistant', content: 'Gates' }, isCalled ? { tool_calls: [{ index: 0, ...CALL }] } : fields]
  const ended = chunkOf([{ index: 0, delta: {}, finish_reason: isCalled ? 'tool_calls' : 'stop' }])
  const chunks = [
    ...deltas.map((delta) => chunkOf([{ index: 0, delta: delta as Delta, finish_reason: null }])),
    ended,
    { ...chunkOf([]), usage: USAGE },
  ]
  const writers = {
    messages: () => new MessageEvents('req_1'),
    gemini: () => new GeminiEvents(eventFraming()),
    cohere: () => new ChatEvents(),
    completions: () => new CompletionEvents(undefined),
    responses: () => new ResponseEvents(REQUEST),
  }
  const writer = writers[format]()
  return writer.chunks(chunks) + writer.end()
}

function chunkOf(choices: ChatChunk['choices']): ChatChunk {
  return { ...HEAD, object: 'chat.completion.chunk', choices }
}
