import type { ContentPart, ImagePart, Message } from '../../contract/chat.ts'

// What all wires ask of the messages of a call.

export function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

/** How many instructions stand before the conversation begins. */
export function leadingInstructions(messages: readonly Message[]): number {
  const begin = messages.findIndex((message) => !isInstruction(message))
  return begin < 0 ? messages.length : begin
}

/** Whether a message names its speaker, which most wires cannot say. In the legacy form the name is that of a function. */
export function namesSpeaker({ name, role }: Message): boolean {
  return name != null && role !== 'function' && role !== 'tool'
}

/** What a part says, where it is one that speaks. */
export function textOfPart(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : undefined
}

/** Older clients write the address without an object around it. */
export function imageOf({ image_url }: ImagePart): { url: string; detail?: unknown } {
  return typeof image_url === 'string' ? { url: image_url } : image_url
}
