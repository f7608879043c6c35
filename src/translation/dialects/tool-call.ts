import type { ToolCall } from '../../contract/chat-reply.ts'
import { textOf } from '../../base/schema/record.ts'
import { writeJson } from '../json/written-numbers.ts'

type FunctionCall = ToolCall & { function: { name: string; arguments: string } }

/** The arguments of a call as JSON text. A few hosts send the text itself in the place of the object. */
export function argumentsText(input: unknown): string {
  return typeof input === 'string' && input !== '' ? input : writeJson(input || {})
}

/** A call in our format, which has JSON text where most wire formats have an object. */
export function toolCall(id: unknown, name: unknown, json: string): FunctionCall {
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: json } }
}
