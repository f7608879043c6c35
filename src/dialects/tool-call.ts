import type { ToolCall } from '../contract/chat-reply.ts'
import { textOf } from '../schema/record.ts'

type FunctionCall = ToolCall & { function: { name: string; arguments: string } }

/** A call in our format, which has JSON text where most wire formats have an object. */
export function toolCall(id: unknown, name: unknown, json: string): FunctionCall {
  return { id: textOf(id), type: 'function', function: { name: textOf(name), arguments: json } }
}
