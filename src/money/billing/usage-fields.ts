import type { Usage } from '../../contract/chat-reply.ts'

/** The members of a usage, including those that only some providers report. */
export function fieldsOf(usage: Usage | undefined): Record<string, unknown> {
  return (usage ?? {}) as Record<string, unknown>
}
