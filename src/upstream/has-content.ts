import type { ChatChunk } from '../contract/chat-reply.ts'

/** Whether a choice has more than a role: text, reasoning, tool calls, or a finish reason. */
export function hasContent({ delta, finish_reason }: ChatChunk['choices'][number]): boolean {
  if (finish_reason) return true
  for (const name in delta) {
    const value = (delta as Record<string, unknown>)[name]
    if (name !== 'role' && value != null && value !== '') return true
  }
  return false
}
