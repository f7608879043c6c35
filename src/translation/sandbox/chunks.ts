import { callId, envelope, usage } from './completion.ts'
import type { Answer, Reply } from './reply-to.ts'

const WORDS = /\s*\S+|\s+$/g
const FRAGMENTS = /[\s\S]{1,8}/gu

/** The reply as `chat.completion.chunk`s. */
export function* chunks(reply: Reply): Generator<object> {
  yield* unfinishedChunks(reply)
  for (let index = 0; index < reply.choiceCount; index++) yield chunk(reply, index, {}, reply.finishReason)
  if (reply.includeUsage) yield { ...envelope(reply, 'chat.completion.chunk'), choices: [], usage: usage(reply) }
}

/** All chunks before the first `finish_reason`; the choices take turns. */
export function* unfinishedChunks(reply: Reply): Generator<object> {
  const { answer, choiceCount } = reply
  for (let index = 0; index < choiceCount; index++) {
    for (const delta of openings(answer, callId(reply, index))) yield chunk(reply, index, delta)
  }
  for (const [piece] of answer.text.matchAll(answer.kind === 'text' ? WORDS : FRAGMENTS)) {
    for (let index = 0; index < choiceCount; index++) yield chunk(reply, index, fragment(answer.kind, piece))
  }
}

function chunk(reply: Reply, index: number, delta: object, finish_reason: string | null = null): object {
  const choices = [{ index, delta, logprobs: null, finish_reason }]
  const head = envelope(reply, 'chat.completion.chunk')
  return reply.includeUsage ? { ...head, choices, usage: null } : { ...head, choices }
}

function openings(answer: Answer, id: string): object[] {
  if (answer.kind === 'text') return [{ role: 'assistant', content: '', refusal: null }]
  return [{ role: 'assistant', content: null, refusal: null }, callOpening(answer.kind, answer.name, id)]
}

function callOpening(kind: Answer['kind'], name: string, id: string): object {
  if (kind === 'legacy') return { function_call: { name, arguments: '' } }
  if (kind === 'custom') return { tool_calls: [{ index: 0, id, type: 'custom', custom: { name, input: '' } }] }
  return { tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }
}

function fragment(kind: Answer['kind'], piece: string): object {
  if (kind === 'text') return { content: piece }
  if (kind === 'legacy') return { function_call: { arguments: piece } }
  if (kind === 'custom') return { tool_calls: [{ index: 0, custom: { input: piece } }] }
  return { tool_calls: [{ index: 0, function: { arguments: piece } }] }
}
