import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { isRecord } from '../record.ts'
import { problemIn } from './problem.ts'
import { settleUsage } from './usage.ts'

export function decode(text: string): ChatCompletion {
  const value = tryParse(text)
  const error = problemIn(value)
  if (error) throw error
  if (!isCompletion(value)) throw notAnAnswer(text, 'a chat completion')
  value.object = 'chat.completion'
  // Agents take an empty list for calls.
  for (const { message } of value.choices) if (message.tool_calls?.length === 0) delete message.tool_calls
  settleUsage(value)
  return value
}

function isCompletion(value: unknown): value is ChatCompletion {
  if (!isRecord(value) || !Array.isArray(value.choices) || value.choices.length === 0) return false
  return value.choices.every((choice) => isRecord(choice) && isRecord(choice.message))
}
