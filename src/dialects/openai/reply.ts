import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { tryParse } from '../../json/try-parse.ts'
import { UpstreamProblem } from '../../contract/upstream-problem.ts'
import { problemIn } from './problem.ts'

export function decode(text: string): ChatCompletion {
  const value = tryParse(text)
  const error = problemIn(value)
  if (error) throw error
  if (!isCompletion(value)) throw new UpstreamProblem(text.trim() ? 'garbage' : 'empty', UNREADABLE)
  value.object = 'chat.completion'
  // Agents take an empty list for calls.
  for (const { message } of value.choices) if (message.tool_calls?.length === 0) delete message.tool_calls
  return value
}

const UNREADABLE = 'the provider answered with something that is not a chat completion'

function isCompletion(value: unknown): value is ChatCompletion {
  if (typeof value !== 'object' || value === null || !('choices' in value)) return false
  return Array.isArray(value.choices) && value.choices.length > 0 && value.choices.every(hasMessage)
}

function hasMessage(choice: unknown): boolean {
  return (
    typeof choice === 'object' &&
    choice !== null &&
    'message' in choice &&
    typeof choice.message === 'object' &&
    choice.message !== null
  )
}
