import type { Message } from '../../../contract/chat.ts'
import { parseToSend } from '../../json/exact-numbers.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { PastCalls } from '../request/past-calls.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { isVertex } from './address.ts'
import type { MessageParts } from './message-parts.ts'
import type { MediaPart, WirePart } from './wire.ts'

/** The state of translating a conversation. */
export type Translation = { target: Target; calls: PastCalls; notes: Notes }

/** Numbers are doubles at Google: one with more digits would change there, so it is left as text. */
const LONG_NUMBER = /\d{16,}/

/** Results name their call by its id; Gemini needs the name of the function. */
export function resultParts(message: Message, at: number, reader: MessageParts, translation: Translation): WirePart[] {
  const { target, calls } = translation
  const { id, name } = calls.answered(message, at)
  if (!name)
    throw cannotTake(['messages', at, 'tool_call_id'], 'Gemini needs the name of a function, and no message calls one')
  const parts = reader.parts(message, ['messages', at])
  const media = parts.filter((part): part is MediaPart => part.text === undefined)
  const response = responseOf(parts.map(({ text }) => text ?? '').join(''))
  // Since Gemini 3 a result contains its media; before, they are separate parts.
  const holds = target.traits?.thinking?.by === 'level' && media.length > 0
  const functionResponse = { ...(!isVertex(target) && { id }), name, response, ...(holds && { parts: media }) }
  return [{ functionResponse }, ...(holds ? [] : media)]
}

/** An object is sent unchanged; anything else as `output`, a name that Gemini knows. */
function responseOf(text: string): Record<string, unknown> {
  const value = text.trimStart().startsWith('{') && !LONG_NUMBER.test(text) ? tryParse(text, parseToSend) : undefined
  return isRecord(value) ? value : { output: text }
}
