import { argumentsOf, type PastCall } from '../request/past-calls.ts'
import type { Notes } from '../notes.ts'
import type { ToolUseBlock } from './messages-body.ts'

export function toolUses(calls: PastCall[], notes: Notes): ToolUseBlock[] {
  return calls.map((call) => {
    return { type: 'tool_use', id: toolUseId(call.id), name: call.name, input: argumentsOf(call, notes) }
  })
}

/** Ids of other providers may contain characters that are refused here. A call and its result get the same new id. */
export function toolUseId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`)
}
