import type { ToolCall } from '../../../contract/chat-reply.ts'
import type { Answer, AnswerMessage } from '../../wire/answer.ts'
import { tryParse } from '../../json/try-parse.ts'
import { errorEvent } from '../answer/error-event.ts'
import { billedAnyway } from '../answer/whole-answer.ts'
import { partOf, partsOf, pieceOf } from '../answer/unreadable-event.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { ANSWER_TOOL } from '../json-answer.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { argumentsText, toolCall } from '../tool-call.ts'
import { annotationsOf, textsIn } from './citations.ts'
import { ending, toUsage } from './finish-reason.ts'
import { problemIn } from './problem.ts'
import { contentOf, isServerCall } from './provider-content.ts'
import { reasoningDetail, reasoningIn } from './reasoning-details.ts'
import { parseWritten } from '../../json/written-numbers.ts'

/** Bedrock sends neither id nor time: the gateway sets its own. */
export function decode(text: string): Answer {
  const value = tryParse(text, parseWritten)
  const error = problemIn(value)
  if (error) throw error
  const reply = recordOf(value)
  const { content } = recordOf(recordOf(reply.output).message)
  if (!Array.isArray(content)) throw errorEvent({ data: text }, value) ?? notAnAnswer(text, 'a reply of Converse')
  const message = toMessage(partsOf(content))
  const usage = isRecord(reply.usage) ? toUsage(reply.usage) : undefined
  const end = billedAnyway(usage, () => ending(reply.stopReason, message.tool_calls?.length ?? 0))
  const completion: Omit<Answer, 'id' | 'created' | 'model'> = {
    object: 'chat.completion',
    choices: [{ index: 0, message, ...end }],
    ...(usage && { usage }),
    ...tierIn(reply),
  }
  return completion as Answer
}

/** The tier that served the call, if it is reported. */
export function tierIn({ serviceTier }: Fields): { service_tier?: string } {
  const type = textOf(recordOf(serviceTier).type)
  return type ? { service_tier: type } : {}
}

function toMessage(blocks: Fields[]): AnswerMessage {
  const reasoningParts = blocks.flatMap((block) =>
    block.reasoningContent ? [reasoningIn(partOf(block.reasoningContent))] : [],
  )
  const details = reasoningParts.flatMap((reasoning) => reasoningDetail(reasoning) ?? [])
  const reasoning = reasoningParts.map(({ text }) => text).join('')
  const texts = blocks.map(textOfBlock)
  const annotations = blocks.flatMap((block, at) => annotationsIn(block, texts.slice(0, at).join('').length))
  const calls = blocks.flatMap((block) => callIn(block) ?? [])
  return {
    role: 'assistant',
    content: texts.join('') || null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
    ...contentOf(blocks, texts),
  }
}

function textOfBlock({ text, citationsContent, toolUse }: Fields): string {
  const called = partOf(toolUse)
  if (called.name === ANSWER_TOOL) return argumentsText(called.input)
  return pieceOf(text) || textsIn(recordOf(citationsContent).content)
}

function annotationsIn({ citationsContent }: Fields, start: number): Fields[] {
  const { content, citations } = recordOf(citationsContent)
  return annotationsOf(citations, { start, end: start + textsIn(content).length })
}

function callIn({ toolUse }: Fields): ToolCall | undefined {
  if (!isRecord(toolUse) || toolUse.name === ANSWER_TOOL || isServerCall(toolUse)) return undefined
  return toolCall(toolUse.toolUseId, toolUse.name, argumentsText(toolUse.input))
}
