import assert from 'node:assert/strict'
import { Problem } from '../../src/contract/problems.ts'
import type { ChatCall, ChatCodec, Encoded, Target } from '../../src/translation/dialects/chat-codec.ts'

/** What a dialect makes of a request, or the problem with which it refuses it. */
export function attempt(chat: ChatCodec, call: ChatCall, target: Target): Encoded | Problem {
  try {
    return chat.encode(call, target)
  } catch (error) {
    assert.ok(error instanceof Problem && error.status === 422, String(error))
    return error
  }
}

/** Two export functions are never equal, so what the export function of a cache returns is compared. */
export function comparable(sent: Encoded | Problem): object {
  if (sent instanceof Problem || !sent.cache) return sent
  return { ...sent, cache: { ...sent.cache, using: sent.cache.using('cachedContents/1') } }
}

export function bodyOf(sent: Encoded | Problem): Record<string, unknown> {
  return sent instanceof Problem ? { refused: sent.message } : JSON.parse(String(sent.wire.body))
}
