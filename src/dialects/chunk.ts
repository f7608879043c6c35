import type { ChatChunk, ChunkChoice, Delta, FinishReason } from '../contract/chat-reply.ts'

/** What begins every answer; the first chunk says it beside what it has to say. */
export const OPENING: Readonly<Delta> = { role: 'assistant', content: null }

/** A chunk without what its provider does not send (id, time, model): the house puts its own. */
export function toChunk(choices: ChunkChoice[], more: Partial<ChatChunk> = {}): ChatChunk {
  const chunk: Partial<ChatChunk> = { object: 'chat.completion.chunk', choices, ...more }
  return chunk as ChatChunk
}

/** The only choice of a wire that makes one at a time. */
export function onlyChoice(delta: Delta, isFirst: boolean, finish_reason: FinishReason | null): ChunkChoice[] {
  return [{ index: 0, delta: isFirst ? { ...OPENING, ...delta } : delta, finish_reason }]
}
