import type { ContentPart, ImagePart, Message } from '../../../contract/chat.ts'

// Questions that all dialects ask about messages.

export function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

/** How many instructions precede the conversation. */
export function leadingInstructions(messages: readonly Message[]): number {
  const begin = messages.findIndex((message) => !isInstruction(message))
  return begin < 0 ? messages.length : begin
}

/**
 * Whether a message names its speaker, which most wire formats cannot express. In the legacy form the name is that of a
 * function.
 */
export function namesSpeaker({ name, role }: Message): boolean {
  return name != null && role !== 'function' && role !== 'tool'
}

/** The text of a part, if it has one. */
export function textOfPart(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : undefined
}

/** Older clients send the URL without an object around it. */
export function imageOf({ image_url }: ImagePart): { url: string; detail?: unknown } {
  return typeof image_url === 'string' ? { url: image_url } : image_url
}
