import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../src/contract/chat.ts'
import type { ChatCompletion } from '../src/contract/chat-reply.ts'
import { type DialectName, DIALECT_NAMES, DIALECTS } from '../src/translation/dialects/index.ts'
import { tryParse } from '../src/translation/json/try-parse.ts'
import { DIALECT_SAMPLES } from './fakes/recordings.ts'

// Which subjects every dialect has a recording or a request for. The subject of a recording is read from what it decodes
// to, so that no name can promise what is not there. dialect-conformance.test.ts checks that its stream says the same.

type Answer = ChatCompletion['choices'][number]

const ANSWERS: Record<string, (answer: Answer, completion: ChatCompletion) => boolean> = {
  text: ({ message, finish_reason }) => Boolean(message.content) && finish_reason === 'stop',
  tools: ({ message }) => message.tool_calls?.length === 1,
  'parallel tools': ({ message }) => (message.tool_calls?.length ?? 0) > 1,
  thinking: ({ message }) => Boolean(message.reasoning_content && message.content),
  'thinking with tools': ({ message }) => Boolean(message.reasoning_content && message.tool_calls),
  'cached prompt': (_, { usage }) => (usage?.prompt_tokens_details?.cached_tokens ?? 0) > 0,
  'JSON schema': ({ message }) => typeof tryParse(message.content ?? '') === 'object' && Boolean(message.content),
  'length stop': ({ finish_reason }) => finish_reason === 'length',
  refusal: ({ message, finish_reason }) => Boolean(message.refusal) || finish_reason === 'content_filter',
}

/** Cohere has no refusals: what it blocks is an error (status 498). */
const UNTRANSLATABLE: Partial<Record<DialectName, string[]>> = { cohere: ['refusal'] }

const PNG = 'iVBORw0KGgoAAAANSUhEUg=='
const FILE = Buffer.from('It rains in Bern.').toString('base64')
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }

const BODIES: Record<string, { messages: ChatRequest['messages']; holds: (body: string) => boolean }> = {
  'image input': {
    messages: [
      { role: 'user', content: [image(`data:image/png;base64,${PNG}`), { type: 'text', text: 'What is it?' }] },
    ],
    holds: (body) => body.includes(PNG),
  },
  'file input': {
    messages: [{ role: 'user', content: [file(`data:text/plain;base64,${FILE}`), { type: 'text', text: 'And?' }] }],
    holds: (body) => body.includes(FILE) || body.includes('It rains in Bern.'),
  },
  'tool result turn': {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'call_1', content: 'It pours.' },
    ],
    holds: (body) => body.includes('It pours.') && body.includes('weather'),
  },
}

for (const name of DIALECT_NAMES)
  describe(`the dialect ${name} has`, () => {
    const { chat } = DIALECTS[name]
    const completions = DIALECT_SAMPLES[name].recordings.map(({ whole }) => chat.decode(whole))

    for (const [subject, isIt] of Object.entries(ANSWERS))
      test(`${subject}, whole and streamed`, () => {
        const found = completions.some((completion) => completion.choices.some((answer) => isIt(answer, completion)))
        assert.equal(found, !UNTRANSLATABLE[name]?.includes(subject))
      })

    for (const [subject, { messages, holds }] of Object.entries(BODIES))
      test(subject, () => {
        const target = { baseUrl: 'https://provider.test/v1', model: 'anthropic.claude-test' }
        for (const stream of [false, true]) {
          const tools = [{ type: 'function', function: { name: 'weather', description: 'Weather' } }]
          const { wire } = chat.encode({ request: { model: 'm', messages, tools, stream } }, target)
          assert.ok(holds(String(wire.body)), String(wire.body))
        }
      })
  })

function image(url: string) {
  return { type: 'image_url' as const, image_url: { url } }
}

function file(file_data: string) {
  return { type: 'file' as const, file: { file_data, filename: 'weather.txt' } }
}
