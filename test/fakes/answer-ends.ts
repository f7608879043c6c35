import { eventFrame } from './aws-frames.ts'
import { type Behaviour, status } from './behaviours.ts'
import { type Events, named, sendBytes } from './broken-streams.ts'

// The same answer in every wire format, ended in any way.

/** A step of a stream: a piece of text, or a finish reason. */
export type Step = { text: string } | { reason: string | null }

export type AnswerWire = {
  /** The model at the gateway's row; a number makes another one. */
  model(number: number): string
  /** The wire format's own word for a proper end. */
  proper: string
  /** How the wire format writes its words. */
  word(plain: string): string
  whole(text: string, reason: string | null): object
  events(steps: readonly Step[]): Events
  /** The event with the reason is the last one of the format: nothing can follow it. */
  endsWithReason?: boolean
}

const plainly = (word: string) => word
const isText = (step: Step): step is { text: string } => 'text' in step

export const ANSWER_WIRES: Record<string, AnswerWire> = {
  openai: {
    model: (number) => `my-openai/x${number}`,
    proper: 'stop',
    word: plainly,
    whole: (content, finish_reason) => ({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    }),
    events: (steps) => [
      ...steps.map((step) => {
        const delta = isText(step) ? { role: 'assistant', content: step.text } : {}
        return { id: 'c', choices: [{ index: 0, delta, finish_reason: isText(step) ? null : step.reason }] }
      }),
      'data: [DONE]\n\n',
    ],
  },
  anthropic: {
    model: (number) => `my-anthropic/x${number}`,
    proper: 'end_turn',
    word: plainly,
    whole: (text, stop_reason) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text }],
      stop_reason,
      usage: { input_tokens: 3, output_tokens: 4 },
    }),
    events: (steps) => [
      event('message_start', { message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {} } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...steps.map((step) =>
        isText(step)
          ? event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: step.text } })
          : event('message_delta', { delta: { stop_reason: step.reason }, usage: { output_tokens: 2 } }),
      ),
      event('message_stop', {}),
    ],
  },
  gemini: {
    model: (number) => `my-gemini/x${number}`,
    proper: 'STOP',
    word: (plain) => plain.toUpperCase(),
    whole: (text, finishReason) => reply([{ text }], finishReason),
    events: (steps) =>
      steps.map((step) => (isText(step) ? reply([{ text: step.text }], null) : reply([], step.reason))),
  },
  bedrock: {
    model: (number) => `my-bedrock/x${number}`,
    proper: 'end_turn',
    word: plainly,
    whole: (text, stopReason) => ({
      output: { message: { role: 'assistant', content: [{ text }] } },
      ...(stopReason !== null && { stopReason }),
      usage: { inputTokens: 3, outputTokens: 4 },
    }),
    events: (steps) => [
      eventFrame('messageStart', { role: 'assistant' }),
      ...steps.map((step) =>
        isText(step)
          ? eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: step.text } })
          : eventFrame('messageStop', { stopReason: step.reason }),
      ),
      eventFrame('metadata', { usage: { inputTokens: 3, outputTokens: 4 } }),
    ],
  },
  cohere: {
    model: (number) => `my-cohere/x${number}`,
    proper: 'COMPLETE',
    word: (plain) => plain.toUpperCase(),
    whole: (text, finish_reason) => ({
      id: 'a',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      ...(finish_reason !== null && { finish_reason }),
    }),
    events: (steps) => [
      { type: 'message-start', id: 'a' },
      ...steps.map((step) =>
        isText(step)
          ? { type: 'content-delta', index: 0, delta: { message: { content: { text: step.text } } } }
          : { type: 'message-end', delta: { finish_reason: step.reason } },
      ),
    ],
    endsWithReason: true,
  },
  responses: {
    model: (number) => `openai/${RESPONSES_MODELS[number % RESPONSES_MODELS.length]}`,
    proper: 'completed',
    word: plainly,
    whole: (text, reason) => response(reason, [{ type: 'message', content: [{ type: 'output_text', text }] }]),
    events: (steps) => [
      event('response.created', { response: { ...response('completed', []), status: 'in_progress' } }),
      ...steps.map((step) =>
        isText(step)
          ? event('response.output_text.delta', { output_index: 0, delta: step.text })
          : event(step.reason === 'completed' ? 'response.completed' : 'response.incomplete', {
              response: response(step.reason, []),
            }),
      ),
    ],
    endsWithReason: true,
  },
}

const RESPONSES_MODELS = ['gpt-5-pro', 'gpt-5.4-pro', 'gpt-5.5-pro', 'gpt-5.3-codex', 'o1-pro', 'o3-pro']

function event(type: string, fields: object): string {
  return named({ type, ...fields })
}

function reply(parts: object[], finishReason: string | null): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason !== null && { finishReason }) }],
  }
}

function response(reason: string | null, output: object[]): object {
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output }
  if (reason === null || reason === 'completed') return { ...head, ...(reason && { status: reason }) }
  return { ...head, status: 'incomplete', incomplete_details: { reason } }
}

/** Answers with this text and this end, whole or streamed as `isStream` says. */
export function ending(wire: AnswerWire, name: string, isStream: boolean, steps: readonly Step[]): Behaviour {
  if (isStream) return sendBytes(wire.events(steps), name)
  const text = steps.flatMap((step) => (isText(step) ? step.text : [])).join('')
  const reason = steps.flatMap((step) => (isText(step) ? [] : [step.reason])).at(-1) ?? null
  return status(200, wire.whole(text, reason), { 'content-type': 'application/json' })
}
