import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ChatRequest } from '../../src/contract/chat.ts'
import { eventsOf, SERVER_TOOL_ANSWERS } from '../../src/translation/dialects/anthropic/fixtures/server-tools.ts'
import { recordings as ofBedrock } from '../../src/translation/dialects/bedrock/fixtures/recordings.ts'
import { recordings as ofCohere } from '../../src/translation/dialects/cohere/fixtures/recordings.ts'
import { RECORDINGS as ofGemini } from '../../src/translation/dialects/gemini/fixtures/recordings.ts'
import { recordings as ofOpenAi } from '../../src/translation/dialects/openai/fixtures/recordings.ts'
import type { DialectName } from '../../src/translation/dialects/index.ts'
import type { Compat } from '../../src/translation/dialects/openai/compat.ts'
import { eventFrame, exceptionFrame } from './aws-frames.ts'
import { foldChunks } from './fold-chunks.ts'
import { interleavedChoices, reasoningEvents, textEvents, toolEvents } from './openai-events.ts'

/** A provider's whole answer, and the same answer as the events of a stream, each as the bytes of its frame. */
export type Recording = { name: string; request: ChatRequest; whole: string; frames: Uint8Array[]; compat?: Compat }

/** Samples of a dialect. `noise`: unknown events; `error`: an event that reports a failure. */
type DialectSamples = { recordings: Recording[]; noise: Uint8Array[]; error: Uint8Array }

const REQUEST: ChatRequest = { model: 'any/model', messages: [{ role: 'user', content: 'Hi' }], stream: true }
const ANTHROPIC = join(import.meta.dirname, '..', '..', 'src', 'translation', 'dialects', 'anthropic', 'fixtures')
const COMMENT = bytes(': comment\n\n')
const UNKNOWN = sse({ type: 'unheard-of' }, 'unheard-of')

export const DIALECT_SAMPLES: Record<DialectName, DialectSamples> = {
  openai: {
    recordings: [
      openai('text', textEvents('Grüße aus 東京 🗼, and a "quoted" line\nbreak')),
      openai(
        'tools',
        toolEvents([
          { id: 'call_1', name: 'weather', arguments: '{"city":"Zürich"}' },
          { id: 'call_2', name: 'time', arguments: '{}' },
        ]),
      ),
      openai('two choices', interleavedChoices(2), { ...REQUEST, n: 2 }),
      openai('reasoning', reasoningEvents('Let me think', 'Done')),
      ...ofOpenAi.map(({ name, reply, events, compat = {} }) => {
        const frames = [...events.map((event) => sse(event)), bytes('data: [DONE]\n\n')]
        return { name, request: REQUEST, whole: JSON.stringify(reply), frames, compat }
      }),
    ],
    noise: [COMMENT, UNKNOWN],
    error: sse({ error: { message: 'boom', type: 'server_error', code: null, param: null } }),
  },
  anthropic: {
    recordings: [
      ...globSync('*.json', { cwd: ANTHROPIC })
        .filter((file) => file !== 'errors.json')
        .toSorted()
        .map((file) => anthropic(basename(file, '.json'))),
      ...SERVER_TOOL_ANSWERS.map(({ name, message }) => {
        const frames = eventsOf(message).map((event) => sse(event, String(event.type)))
        return { name, request: REQUEST, whole: JSON.stringify(message), frames }
      }),
    ],
    noise: [COMMENT, UNKNOWN, sse({ type: 'ping' }, 'ping')],
    error: sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
  },
  gemini: {
    recordings: ofGemini.map(({ name, whole, events }) => {
      return { name, request: REQUEST, whole: JSON.stringify(whole), frames: events.map((event) => sse(event)) }
    }),
    noise: [COMMENT, UNKNOWN],
    error: sse({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  },
  bedrock: {
    recordings: ofBedrock.map(({ name, reply, events }) => {
      const frames = events.map(([type, payload]) => eventFrame(type, payload))
      return { name, request: REQUEST, whole: JSON.stringify(reply), frames }
    }),
    noise: [eventFrame('unheardOf', { p: 'ab' })],
    error: exceptionFrame('throttlingException', 'Slow down'),
  },
  cohere: {
    recordings: ofCohere.map(({ name, reply, events }) => {
      const frames = events.map((event) => sse(event, String(event.type)))
      return { name, request: REQUEST, whole: JSON.stringify(reply), frames }
    }),
    noise: [COMMENT, UNKNOWN, sse({ type: 'debug', prompt: 'x' }, 'debug')],
    error: sse({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'the model fell over' } }, 'message-end'),
  },
}

function openai(name: string, events: object[], request = REQUEST): Recording {
  const frames = [...events.map((event) => sse(event)), bytes('data: [DONE]\n\n')]
  return { name, request, whole: JSON.stringify(foldChunks(events)), frames }
}

function anthropic(name: string): Recording {
  const frames = read(`${name}.sse`)
    .split(/(?<=\n\n)/)
    .map(bytes)
  return { name, request: REQUEST, whole: read(`${name}.json`), frames }
}

function read(file: string): string {
  return readFileSync(join(ANTHROPIC, file), 'utf8')
}

function sse(event: object, name?: string): Uint8Array {
  return bytes(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text)
}
