import type { ReasoningTag } from './compat.ts'
import type { Fields } from '../../../base/schema/record.ts'

/** After more white space than this, the answer has begun without a tag. */
const MAX_SPACE_CHARS = 32

type ReportedText = { reasoning: string; content: string }

/**
 * Separates reasoning between tags at the beginning of an answer from the answer, however the text is cut. White space
 * around the tags is dropped. Later tags belong to the answer: a model may write about them.
 */
export class ReasoningTags {
  readonly #open: string
  readonly #close: string
  #in: 'beginning' | 'reasoning' | 'answer' = 'beginning'
  /** Only white space has followed the last tag. */
  #isFresh = false
  /** Text that may be the beginning of a tag. */
  #held = ''

  constructor(tag: ReasoningTag) {
    this.#open = `<${tag}>`
    this.#close = `</${tag}>`
  }

  /** Whether everything that follows is the answer. */
  get isOver(): boolean {
    return this.#in === 'answer' && !this.#isFresh && this.#held === ''
  }

  /** Reasoning arrived in its own field, so there will be no tags. */
  stop(): void {
    if (this.#in === 'beginning') this.#in = 'answer'
  }

  take(text: string): ReportedText {
    const said = this.#held + text
    this.#held = ''
    if (this.#in === 'beginning') return this.#begin(said)
    return this.#in === 'reasoning' ? this.#think(said) : { reasoning: '', content: this.#fresh(said) }
  }

  /** Releases the text that was held back, at the end of the stream. */
  end(): ReportedText {
    const held = this.#held
    this.#held = ''
    return this.#in === 'reasoning' ? { reasoning: held, content: '' } : { reasoning: '', content: held }
  }

  #begin(said: string): ReportedText {
    const text = said.trimStart()
    const isNear = said.length - text.length <= MAX_SPACE_CHARS
    if (isNear && text.startsWith(this.#open)) {
      this.#enter('reasoning')
      return this.#think(text.slice(this.#open.length))
    }
    if (isNear && this.#open.startsWith(text)) {
      this.#held = said
      return { reasoning: '', content: '' }
    }
    this.#in = 'answer'
    return { reasoning: '', content: said }
  }

  #think(said: string): ReportedText {
    const end = said.indexOf(this.#close)
    if (end >= 0) {
      const reasoning = this.#fresh(said.slice(0, end))
      this.#enter('answer')
      return { reasoning, content: this.#fresh(said.slice(end + this.#close.length)) }
    }
    const kept = said.length - overlap(said, this.#close)
    this.#held = said.slice(kept)
    return { reasoning: this.#fresh(said.slice(0, kept)), content: '' }
  }

  #enter(part: 'reasoning' | 'answer'): void {
    this.#in = part
    this.#isFresh = true
  }

  #fresh(said: string): string {
    if (!this.#isFresh) return said
    const text = said.trimStart()
    if (text !== '') this.#isFresh = false
    return text
  }
}

/** How many characters at the end of the text are the beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let size = Math.min(text.length, tag.length - 1); size > 0; size--) {
    if (text.endsWith(tag.slice(0, size))) return size
  }
  return 0
}

/** Separates the reasoning of a complete message. If the reasoning has its own field, there are no tags. */
export function settleTags(message: Fields, tag: ReasoningTag): void {
  if (typeof message.content !== 'string' || message.reasoning_content) return
  const tags = new ReasoningTags(tag)
  const [first, last] = [tags.take(message.content), tags.end()]
  message.content = first.content + last.content
  if (first.reasoning || last.reasoning) message.reasoning_content = first.reasoning + last.reasoning
}

/** Separates the reasoning of a delta. */
export function settleTagged(delta: Fields, tags: ReasoningTags, isLast: boolean): void {
  if (delta.reasoning_content) tags.stop()
  if (tags.isOver || (typeof delta.content !== 'string' && !isLast)) return
  const said = typeof delta.content === 'string' ? tags.take(delta.content) : { reasoning: '', content: '' }
  const rest = isLast ? tags.end() : { reasoning: '', content: '' }
  const [reasoning, content] = [said.reasoning + rest.reasoning, said.content + rest.content]
  if (content === '' && reasoning !== '') delete delta.content
  else if (content !== '' || typeof delta.content === 'string') delta.content = content
  if (reasoning) delta.reasoning_content = reasoning
}
