import type { Message } from '../../contract/chat.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { PastCalls } from '../request/past-calls.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { isRecord } from '../../schema/record.ts'
import { isVertex } from './address.ts'
import type { MessageParts } from './message-parts.ts'
import type { MediaPart, WirePart } from './wire.ts'

/** What is remembered while a conversation is translated. */
export type Translation = { target: Target; calls: PastCalls; notes: Notes }

/** The wire's numbers are doubles: a number with more digits would come out as another one, and is left as text. */
const LONG_NUMBER = /\d{16,}/

/** Results name their call by its id; the wire wants the function's name. */
export function resultParts(message: Message, at: number, reader: MessageParts, translation: Translation): WirePart[] {
  const { target, calls } = translation
  const { id, name } = calls.answered(message, at)
  if (!name)
    throw cannotTake(['messages', at, 'tool_call_id'], 'Gemini needs the name of a function, and no message calls one')
  const parts = reader.parts(message, ['messages', at])
  const media = parts.filter((part): part is MediaPart => part.text === undefined)
  const response = responseOf(parts.map(({ text }) => text ?? '').join(''))
  // Since Gemini 3 a result holds its media; before, they stand beside it.
  const holds = target.traits?.thinking?.by === 'level' && media.length > 0
  const functionResponse = { ...(!isVertex(target) && { id }), name, response, ...(holds && { parts: media }) }
  return [{ functionResponse }, ...(holds ? [] : media)]
}

/** An object travels as it is; anything else as the `output` that the wire knows. */
function responseOf(text: string): Record<string, unknown> {
  const value = text.trimStart().startsWith('{') && !LONG_NUMBER.test(text) ? tryParse(text) : undefined
  return isRecord(value) ? value : { output: text }
}
