import type { ToolCallFragment } from '../../contract/chat-reply.ts'
import { recordOf, textOf } from '../../base/schema/record.ts'

/** The content of a fragment of a tool call, for functions and other tools alike. */
export type CallPiece = { index: number; id: string; name: string; json: string; isCustom: boolean }

export function callPiece({ index, id, function: called, custom }: ToolCallFragment): CallPiece {
  const { name, arguments: json, input } = recordOf(called ?? custom)
  return { index, id: textOf(id), name: textOf(name), json: textOf(json ?? input), isCustom: !called && custom != null }
}
