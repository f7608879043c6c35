import type { ReplyMessage } from '../../../contract/chat-reply.ts'
import { packContent } from '../../dialects/packed-content.ts'
import { callPiece } from '../called.ts'
import { isStep, type ResponsesItem, type ServerStep } from '../server-step.ts'
import { StepReader } from '../step-reader.ts'
import { flatAnnotation } from './annotations.ts'
import type { FlatNames } from './namespaces.ts'
import { type ItemKind, itemId, type OutputItem } from './output-item.ts'
import { kindOfStep, stepItem } from './step-items.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { seal } from '../sealed-reasoning.ts'

type Naming = { responseId: string; provider: string; names: FlatNames }

export function outputItems(message: ReplyMessage, { responseId, provider, names }: Naming): OutputItem[] {
  const { reasoning_content, content, refusal, tool_calls, annotations } = message
  const details = packContent(message)
  const items: OutputItem[] = []
  const next = (kind: ItemKind) => itemId(kind, responseId, items.length)
  if (reasoning_content || details.length > 0)
    items.push(reasoningItem(next('rs'), textOf(reasoning_content), details.length > 0 ? seal(details, provider) : ''))
  const parts = [
    ...(content ? [textPart(content, recordsIn(annotations).map(flatAnnotation))] : []),
    ...(refusal ? [refusalPart(refusal)] : []),
  ]
  const { before, after } = stepsOf(message)
  const add = (step: ServerStep | ResponsesItem) => {
    items.push(isStep(step) ? stepItem(next(kindOfStep(step)), step) : (step.item as OutputItem))
  }
  before.forEach(add)
  if (parts.length > 0) items.push(messageItem(next('msg'), parts))
  after.forEach(add)
  for (const [index, call] of (tool_calls ?? []).entries()) {
    const { id, name, json, isCustom } = callPiece({ ...call, index })
    items.push(callItem(next(isCustom ? 'ctc' : 'fc'), { callId: id, ...names.own(name), json, isCustom }))
  }
  return items
}

/** The steps before and after the first text, where the message stands. */
function stepsOf(message: ReplyMessage & { executed_tools?: unknown }) {
  const reader = new StepReader()
  const { type, blocks } = recordOf(message.provider_content)
  const first = recordsIn(blocks).findIndex((block) => block.type === 'text')
  const leading = { type, blocks: recordsIn(blocks).slice(0, Math.max(first, 0)) }
  const before = [...reader.executed(message.executed_tools), ...reader.rest(leading)]
  return { before, after: [...reader.rest(message.provider_content), ...reader.end()] }
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

type Called = { callId: string; name: string; namespace?: string; json: string; isCustom: boolean }

export function callItem(id: string, called: Called, status = 'completed'): OutputItem {
  const { callId, name, namespace, json, isCustom } = called
  const named = { id, status, call_id: callId, name, ...(namespace !== undefined && { namespace }) }
  return isCustom
    ? { type: 'custom_tool_call', ...named, input: json }
    : { type: 'function_call', ...named, arguments: json }
}
