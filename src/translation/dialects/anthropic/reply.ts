import type { Answer, AnswerMessage } from '../../wire/answer.ts'
import { tryParse } from '../../json/try-parse.ts'
import { billedAnyway } from '../answer/whole-answer.ts'
import { pieceOf } from '../answer/unreadable-event.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { ANSWER_TOOL } from '../json-answer.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { argumentsText, toolCall } from '../tool-call.ts'
import { annotationsOf } from './citations.ts'
import { ending, refusalOf } from './finish-reason.ts'
import { problemIn, problemOfEvent } from './problem.ts'
import { contentOf } from './provider-content.ts'
import { reasoningDetail } from './reasoning-details.ts'
import { readTier, readUsage } from './usage.ts'
import { parseWritten } from '../../json/written-numbers.ts'

export function decode(text: string): Answer {
  const value = tryParse(text, parseWritten)
  const error = problemIn(value)
  if (error) throw error
  if (!isMessage(value)) throw problemOfEvent({ data: text }, value) ?? notAnAnswer(text, 'a message')
  const message = messageOf(value)
  const [usage, service_tier] = [readUsage(value.usage), readTier(value.usage)]
  const end = billedAnyway(usage, () => ending(value.stop_reason, message.tool_calls !== undefined))
  return {
    id: textOf(value.id),
    object: 'chat.completion',
    // Anthropic sends no time: the gateway sets its own.
    created: 0,
    model: textOf(value.model),
    choices: [{ index: 0, message, ...end }],
    ...(usage && { usage }),
    ...(service_tier && { service_tier }),
  }
}

type WireMessage = Fields & { content: Fields[] }

function isMessage(value: unknown): value is WireMessage {
  if (!isRecord(value) || !Array.isArray(value.content)) return false
  return (value.type === 'message' || value.role === 'assistant') && value.content.every(isRecord)
}

function messageOf({ content, container, stop_reason, stop_details }: WireMessage): AnswerMessage {
  const { text, annotations } = textAndSources(content)
  const reasoning = ofType(content, 'thinking').map(({ thinking }) => pieceOf(thinking))
  const details = content.flatMap((block) => reasoningDetail(block) ?? [])
  const calls = ofType(content, 'tool_use').filter(({ name }) => name !== ANSWER_TOOL)
  const refusal = refusalOf(stop_reason, stop_details)
  return {
    role: 'assistant',
    content: text || null,
    ...(reasoning.join('') && { reasoning_content: reasoning.join('') }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => toolCall(id, name, argumentsText(input))),
    }),
    ...(annotations.length > 0 && { annotations }),
    ...contentOf(content, container, (block) => textIn(block).length),
    ...(refusal && { refusal }),
  }
}

function textAndSources(content: Fields[]): { text: string; annotations: Fields[] } {
  let text = ''
  const annotations: Fields[] = []
  for (const block of content) {
    const start = text.length
    text += textIn(block)
    if (block.type === 'text') annotations.push(...annotationsOf(block.citations, { start, end: text.length }))
  }
  return { text, annotations }
}

function textIn({ type, text, name, input }: Fields): string {
  if (type === 'text') return pieceOf(text)
  return type === 'tool_use' && name === ANSWER_TOOL ? argumentsText(input) : ''
}

function ofType(content: Fields[], type: string): Fields[] {
  return content.filter((block) => block.type === type)
}
