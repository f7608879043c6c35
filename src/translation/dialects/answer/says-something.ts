import type { AnswerDelta, AnswerMessage } from '../../wire/answer.ts'

/** Whether a message, or a piece of one, has more than a role: text, reasoning, tool calls, steps of the provider. */
export function saysSomething(message: AnswerDelta | AnswerMessage): boolean {
  if (message.content) return true
  for (const name in message) {
    const value = (message as Record<string, unknown>)[name]
    if (name !== 'role' && value != null && value !== '') return true
  }
  return false
}
