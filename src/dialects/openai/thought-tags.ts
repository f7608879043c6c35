import type { ThoughtTag } from './habits.ts'
import type { Fields } from '../record.ts'

/** More space than this before a tag, and the answer has begun. */
const MAX_SPACE_CHARS = 32

export type Told = { thoughts: string; content: string }

/**
 * Tells thoughts that stand between tags at the beginning of an answer from the answer, however the text is cut. Space around
 * the tags is left out. Tags further on are the answer's own: a model may write about them.
 */
export class ThoughtTags {
  readonly #open: string
  readonly #close: string
  #in: 'beginning' | 'thoughts' | 'answer' = 'beginning'
  /** Nothing but space was said since the last tag. */
  #isFresh = false
  /** May be the beginning of a tag. */
  #held = ''

  constructor(tag: ThoughtTag) {
    this.#open = `<${tag}>`
    this.#close = `</${tag}>`
  }

  /** Nothing is left to tell apart. */
  get isOver(): boolean {
    return this.#in === 'answer' && !this.#isFresh && this.#held === ''
  }

  /** Thoughts came by their own name: there will be no tags. */
  stop(): void {
    if (this.#in === 'beginning') this.#in = 'answer'
  }

  take(text: string): Told {
    const said = this.#held + text
    this.#held = ''
    if (this.#in === 'beginning') return this.#begin(said)
    return this.#in === 'thoughts' ? this.#think(said) : { thoughts: '', content: this.#fresh(said) }
  }

  /** What was held back, when nothing more comes. */
  end(): Told {
    const held = this.#held
    this.#held = ''
    return this.#in === 'thoughts' ? { thoughts: held, content: '' } : { thoughts: '', content: held }
  }

  #begin(said: string): Told {
    const text = said.trimStart()
    const isNear = said.length - text.length <= MAX_SPACE_CHARS
    if (isNear && text.startsWith(this.#open)) {
      this.#enter('thoughts')
      return this.#think(text.slice(this.#open.length))
    }
    if (isNear && this.#open.startsWith(text)) {
      this.#held = said
      return { thoughts: '', content: '' }
    }
    this.#in = 'answer'
    return { thoughts: '', content: said }
  }

  #think(said: string): Told {
    const end = said.indexOf(this.#close)
    if (end >= 0) {
      const thoughts = this.#fresh(said.slice(0, end))
      this.#enter('answer')
      return { thoughts, content: this.#fresh(said.slice(end + this.#close.length)) }
    }
    const kept = said.length - overlap(said, this.#close)
    this.#held = said.slice(kept)
    return { thoughts: this.#fresh(said.slice(0, kept)), content: '' }
  }

  #enter(part: 'thoughts' | 'answer'): void {
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

/** Of a whole message. Who names thoughts as such needs no tags. */
export function settleTags(message: Fields, tag: ThoughtTag): void {
  if (typeof message.content !== 'string' || message.reasoning_content) return
  const tags = new ThoughtTags(tag)
  const [first, last] = [tags.take(message.content), tags.end()]
  message.content = first.content + last.content
  if (first.thoughts || last.thoughts) message.reasoning_content = first.thoughts + last.thoughts
}

/** Of what a chunk adds to one. */
export function settleTagged(delta: Fields, tags: ThoughtTags, isLast: boolean): void {
  if (delta.reasoning_content) tags.stop()
  if (tags.isOver || (typeof delta.content !== 'string' && !isLast)) return
  const said = typeof delta.content === 'string' ? tags.take(delta.content) : { thoughts: '', content: '' }
  const rest = isLast ? tags.end() : { thoughts: '', content: '' }
  const [thoughts, content] = [said.thoughts + rest.thoughts, said.content + rest.content]
  if (content === '' && thoughts !== '') delete delta.content
  else if (content !== '' || typeof delta.content === 'string') delta.content = content
  if (thoughts) delta.reasoning_content = thoughts
}
