import type { ToolCallFragment } from '../contract/chat-reply.ts'
import { recordOf, textOf } from '../schema/record.ts'

/** What a fragment of a tool call says, whichever kind of tool it is of. */
export type CallPiece = { index: number; id: string; name: string; json: string; isCustom: boolean }

export function callPiece({ index, id, function: called, custom }: ToolCallFragment): CallPiece {
  const { name, arguments: json, input } = recordOf(called ?? custom)
  return { index, id: textOf(id), name: textOf(name), json: textOf(json ?? input), isCustom: !called && custom != null }
}
