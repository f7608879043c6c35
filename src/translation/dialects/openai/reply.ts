import type { ToolCall } from '../../../contract/chat-reply.ts'
import type { Answer } from '../../wire/answer.ts'
import { tryParse } from '../../json/try-parse.ts'
import { endingOf } from '../answer/finish-reason.ts'
import { billedAnyway } from '../answer/whole-answer.ts'
import { settledIndices } from '../answer/choice-numbers.ts'
import { notAnAnswer, refuseTooManyChoices } from '../answer-problems.ts'
import type { WithCompat } from '../chat-codec.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { settleCalls } from './call-numbers.ts'
import type { Compat } from './compat.ts'
import { annotateSources } from './listed-sources.ts'
import { indexIn, settleHead, settleLogprobs } from './mistyped.ts'
import { makerOf, partContent } from './part-blocks.ts'
import { problemIn, problemOfEvent } from './problem.ts'
import { normalizeMessage } from './normalize-message.ts'
import { settleTags } from './reasoning-tags.ts'
import { settleUsage } from './usage.ts'

export function decode(text: string, { compat }: WithCompat = {}): Answer {
  const value = tryParse(text)
  const error = problemIn(value)
  if (error) throw error
  if (!isCompletion(value)) throw problemOfEvent({ data: text }, value) ?? notAnAnswer(text, 'a chat completion')
  refuseTooManyChoices(value.choices.length)
  value.object = 'chat.completion'
  settleHead(value)
  settleIndices(value.choices)
  settleUsage(value)
  billedAnyway(value.usage, () => {
    for (const choice of value.choices) settleChoice(choice, value.id, compat)
  })
  annotateSources(value)
  return value
}

function settleIndices(choices: Answer['choices']): void {
  const indices = settledIndices(choices.map(indexIn))
  choices.forEach((choice, at) => {
    choice.index = indices[at]!
  })
}

function settleChoice(choice: Answer['choices'][number], origin: unknown, compat?: Compat): void {
  const error = problemIn(choice)
  if (error) throw error
  const { message } = choice
  message.role = 'assistant'
  Object.assign(message, partContent(message.content, makerOf(compat)))
  normalizeMessage(message)
  if (compat?.reasoningTag) settleTags(message, compat.reasoningTag)
  message.content ??= null
  const calls = settleCalls(message.tool_calls, origin) as ToolCall[]
  // Agents mistake an empty list for calls.
  if (calls.length > 0) message.tool_calls = calls
  else if (message.tool_calls !== undefined) delete message.tool_calls
  settleLogprobs(choice)
  Object.assign(choice, endingOf(choice.finish_reason))
}

function isCompletion(value: unknown): value is Answer {
  if (!isRecord(value) || !Array.isArray(value.choices) || value.choices.length === 0) return false
  return value.choices.every((choice) => isRecord(choice) && isRecord(choice.message))
}
