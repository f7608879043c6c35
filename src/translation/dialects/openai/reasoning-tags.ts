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
  #buffered = ''

  constructor(tag: ReasoningTag) {
    this.#open = `<${tag}>`
    this.#close = `</${tag}>`
  }

  /** Whether everything that follows is the answer. */
  get isOver(): boolean {
    return this.#in === 'answer' && !this.#isFresh && this.#buffered === ''
  }

  /** Reasoning arrived in its own field, so there will be no tags. */
  stop(): void {
    if (this.#in === 'beginning') this.#in = 'answer'
  }

  take(text: string): ReportedText {
    const joined = this.#buffered + text
    this.#buffered = ''
    if (this.#in === 'beginning') return this.#begin(joined)
    return this.#in === 'reasoning' ? this.#think(joined) : { reasoning: '', content: this.#fresh(joined) }
  }

  /** Releases the text that was held back, at the end of the stream. */
  end(): ReportedText {
    const rest = this.#buffered
    this.#buffered = ''
    return this.#in === 'reasoning' ? { reasoning: rest, content: '' } : { reasoning: '', content: rest }
  }

  #begin(joined: string): ReportedText {
    const text = joined.trimStart()
    const isNear = joined.length - text.length <= MAX_SPACE_CHARS
    if (isNear && text.startsWith(this.#open)) {
      this.#enter('reasoning')
      return this.#think(text.slice(this.#open.length))
    }
    if (isNear && this.#open.startsWith(text)) {
      this.#buffered = joined
      return { reasoning: '', content: '' }
    }
    this.#in = 'answer'
    return { reasoning: '', content: joined }
  }

  #think(joined: string): ReportedText {
    const end = joined.indexOf(this.#close)
    if (end >= 0) {
      const reasoning = this.#fresh(joined.slice(0, end))
      this.#enter('answer')
      return { reasoning, content: this.#fresh(joined.slice(end + this.#close.length)) }
    }
    const length = joined.length - overlap(joined, this.#close)
    this.#buffered = joined.slice(length)
    return { reasoning: this.#fresh(joined.slice(0, length)), content: '' }
  }

  #enter(part: 'reasoning' | 'answer'): void {
    this.#in = part
    this.#isFresh = true
  }

  #fresh(joined: string): string {
    if (!this.#isFresh) return joined
    const text = joined.trimStart()
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
  const split = typeof delta.content === 'string' ? tags.take(delta.content) : { reasoning: '', content: '' }
  const rest = isLast ? tags.end() : { reasoning: '', content: '' }
  const [reasoning, content] = [split.reasoning + rest.reasoning, split.content + rest.content]
  if (content === '' && reasoning !== '') delete delta.content
  else if (content !== '' || typeof delta.content === 'string') delta.content = content
  if (reasoning) delta.reasoning_content = reasoning
}
