import assert from 'node:assert/strict'
import type { StreamedReply } from '../../gateway/chat-client.ts'

/** Asserts that a stream ended with one error, and that what came before is at most the beginning of the text. */
export function assertBroken(reply: StreamedReply, text?: string): void {
  assert.doesNotMatch(reply.text, /pauses it for a moment/)
  assert.deepEqual([reply.done, reply.errors.length], [0, 1], reply.text)
  assert.deepEqual(reasonsOf(reply).filter((reason) => reason === 'stop' || reason === 'tool_calls').length < 2, true)
  if (text !== undefined) assert.ok(text.startsWith(textOf(reply)), textOf(reply))
}

export function textOf({ chunks }: StreamedReply): string {
  return chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
}

export function reasonsOf({ chunks }: StreamedReply): string[] {
  return chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []))
}
