import type { ChatChunk } from '../../contract/chat-reply.ts'
import { hasContent } from '../../calls/upstream/has-content.ts'

/** Cuts off the part of a new answer that repeats what the caller has already received. */
export class Overlap {
  #rest: string
  readonly isStrict: boolean
  isBroken = false

  constructor(text: string, rule: 'must repeat' | 'may repeat') {
    this.#rest = text
    this.isStrict = rule === 'must repeat'
  }

  get remaining(): number {
    return this.#rest.length
  }

  /** Returns false if nothing in the chunk is new. The role was sent before, and reasoning before repeated text is repeated too. */
  cut(chunk: ChatChunk): boolean {
    for (const choice of chunk.choices) {
      const { role: _, ...delta } = choice.delta ?? {}
      choice.delta = this.remaining > 0 && this.isStrict ? { ...delta, reasoning_content: undefined } : delta
      if (typeof delta.content === 'string' && this.remaining > 0) choice.delta.content = this.#cutText(delta.content)
    }
    return chunk.usage != null || chunk.choices.some(hasContent)
  }

  #cutText(text: string): string {
    const same = commonLength(text, this.#rest)
    const isRepeating = same === text.length || same === this.#rest.length
    if (this.isStrict && !isRepeating) this.isBroken = true
    this.#rest = isRepeating ? this.#rest.slice(same) : ''
    return text.slice(same)
  }
}

function commonLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length)
  let length = 0
  while (length < max && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
