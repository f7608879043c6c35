import { isRecord, listOf, recordOf } from '../../base/schema/record.ts'

export type Message = { role: string; text: string; attachments: string[] }

const ATTACHMENTS: Record<string, string> = { image_url: 'image', file: 'file', input_audio: 'audio clip' }

const NOTHING_SAID = 'The sandbox echoes the last user message, and this conversation has none.'

export function readMessage(value: unknown): Message {
  const { role, content } = recordOf(value)
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).filter(isRecord)
  return { role: String(role), text: textOf(parts), attachments: attachmentsOf(parts) }
}

export function endsWithUser(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === 'user'
}

/** The text of an echo: the tool results if they are last, or else the last user text. */
export function lastWords(messages: readonly Message[]): string {
  const results = messages.slice(messages.findLastIndex((message) => !isToolResult(message)) + 1)
  if (results.length > 0) return `The tool answered: ${results.map(({ text }) => text).join('\n')}`
  const user = messages.findLast(({ role }) => role === 'user')
  return user ? [user.text, ...user.attachments].filter(Boolean).join(' ') : NOTHING_SAID
}

export function promptText(messages: readonly Message[]): string {
  return messages.map(({ text }) => text).join('')
}

function isToolResult({ role }: Message): boolean {
  return role === 'tool' || role === 'function'
}

function textOf(parts: Record<string, unknown>[]): string {
  const texts = parts.filter(({ type, text }) => type === 'text' && typeof text === 'string')
  return texts.map(({ text }) => text).join('\n')
}

function attachmentsOf(parts: Record<string, unknown>[]): string[] {
  return Object.entries(ATTACHMENTS).flatMap(([type, word]) => {
    const count = parts.filter((part) => part.type === type).length
    return count === 0 ? [] : [`[${count} ${word}${count === 1 ? '' : 's'}]`]
  })
}
