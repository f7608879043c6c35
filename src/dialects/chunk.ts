import type { ChatChunk, ChunkChoice, Delta } from '../contract/chat-reply.ts'
import type { Ending } from './answer/finish-reason.ts'

/** The beginning of every answer; the first chunk contains it in addition to its own content. */
export const OPENING: Readonly<Delta> = { role: 'assistant', content: null }

/** A chunk without the fields that its provider does not send (id, time, model): the gateway sets them. */
export function toChunk(choices: ChunkChoice[], more: Partial<ChatChunk> = {}): ChatChunk {
  const chunk: Partial<ChatChunk> = { object: 'chat.completion.chunk', choices, ...more }
  return chunk as ChatChunk
}

/** The only choice of a provider that generates one at a time. */
export function onlyChoice(delta: Delta, isFirst: boolean, ending: Ending = GOING_ON): ChunkChoice[] {
  return [{ index: 0, delta: isFirst ? { ...OPENING, ...delta } : delta, ...ending }]
}

const GOING_ON: Ending = { finish_reason: null }
