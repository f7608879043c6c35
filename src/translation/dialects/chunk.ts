import type { AnswerChunk, AnswerDelta, AnswerPiece } from '../wire/answer.ts'
import type { Ending } from './answer/finish-reason.ts'

/** The beginning of every answer; the first chunk contains it in addition to its own content. */
export const OPENING: Readonly<AnswerDelta> = { role: 'assistant', content: null }

/** A chunk without the fields that its provider does not send (id, time, model): the gateway sets them. */
export function toChunk(choices: AnswerPiece[], more: Partial<AnswerChunk> = {}): AnswerChunk {
  const chunk: Partial<AnswerChunk> = { object: 'chat.completion.chunk', choices, ...more }
  return chunk as AnswerChunk
}

/** The only choice of a provider that generates one at a time. */
export function onlyChoice(delta: AnswerDelta, isFirst: boolean, ending: Ending = GOING_ON): AnswerPiece[] {
  return [{ index: 0, delta: isFirst ? { ...OPENING, ...delta } : delta, ...ending }]
}

const GOING_ON: Ending = { finish_reason: null }
