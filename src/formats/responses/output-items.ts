import type { ReplyMessage } from '../../contract/chat-reply.ts'
import { callPiece } from '../called.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../schema/record.ts'
import { seal } from '../sealed-reasoning.ts'

/** An output item. Its id depends on its position, so that it is the same in complete and streamed answers. */
export type OutputItem = Fields & { type: string; id: string }

export function outputItems(message: ReplyMessage, responseId: string, provider: string): OutputItem[] {
  const { reasoning_content, content, refusal, tool_calls, annotations } = message
  const details = recordsIn((message as { reasoning_details?: unknown }).reasoning_details)
  const items: OutputItem[] = []
  const next = (kind: ItemKind) => itemId(kind, responseId, items.length)
  if (reasoning_content || details.length > 0)
    items.push(reasoningItem(next('rs'), textOf(reasoning_content), details.length > 0 ? seal(details, provider) : ''))
  const parts = [
    ...(content ? [textPart(content, recordsIn(annotations).map(flatAnnotation))] : []),
    ...(refusal ? [refusalPart(refusal)] : []),
  ]
  if (parts.length > 0) items.push(messageItem(next('msg'), parts))
  for (const [index, call] of (tool_calls ?? []).entries()) {
    const { id, name, json, isCustom } = callPiece({ ...call, index })
    items.push(callItem(next(isCustom ? 'ctc' : 'fc'), { callId: id, name, json, isCustom }))
  }
  return items
}

/** The prefixes of ids. Providers of this format refuse other prefixes. */
export type ItemKind = 'rs' | 'msg' | 'fc' | 'ctc'

export function itemId(kind: ItemKind, responseId: string, place: number): string {
  return `${kind}_${responseId.replace(/^resp_/, '')}_${place}`
}

export function reasoningItem(id: string, text: string, encrypted_content: string): OutputItem {
  return {
    type: 'reasoning',
    id,
    summary: text ? [summaryPart(text)] : [],
    ...(encrypted_content && { encrypted_content }),
  }
}

export function summaryPart(text: string) {
  return { type: 'summary_text', text }
}

export function messageItem(id: string, content: readonly Fields[], status = 'completed'): OutputItem {
  return { type: 'message', id, status, role: 'assistant', content }
}

export function textPart(text: string, annotations: readonly Fields[]) {
  return { type: 'output_text', text, annotations, logprobs: [] }
}

export function refusalPart(refusal: string) {
  return { type: 'refusal', refusal }
}

export type Called = { callId: string; name: string; json: string; isCustom: boolean }

export function callItem(id: string, { callId, name, json, isCustom }: Called, status = 'completed'): OutputItem {
  if (isCustom) return { type: 'custom_tool_call', id, status, call_id: callId, name, input: json }
  return { type: 'function_call', id, status, call_id: callId, name, arguments: json }
}

/** Chat annotations are nested; in this format they are flat. */
export function flatAnnotation({ type, url_citation, ...rest }: Fields): Fields {
  return { type, ...recordOf(url_citation), ...rest }
}
