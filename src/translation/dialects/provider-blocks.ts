import type { ProviderContent } from '../../contract/provider-content.ts'
import { valueBytes } from '../json/value-bytes.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../base/schema/record.ts'
import { refuseEndless } from './answer-problems.ts'
import type { Span } from './citation.ts'
import type { Notes } from './notes.ts'
import { toNumber } from '../../base/schema/to-primitive.ts'

/** A fetched PDF is a few megabytes. All blocks that are carried go to the caller and come back with every later request. */
const MAX_BYTES = 8_000_000

/**
 * The parts of an answer in their order, for makers whose models use tools by themselves. Only blocks that no other field of
 * a message has are carried; for the others there is a reference, so that the order is known.
 */
export class ProviderBlocks {
  readonly #type: string
  readonly #blocks: Fields[] = []
  readonly #omitted: Fields[] = []
  #bytes = 0
  #isNeeded = false

  constructor(type: string) {
    this.#type = type
  }

  /** `more` are further members of the text's block. */
  text({ start, end }: Span, more: Fields = {}): void {
    if (end === start) return
    const last = this.#blocks.at(-1)
    const isPlain = Object.keys(more).length === 0
    if (isPlain && last?.type === 'text' && Object.keys(last).length === 3 && last.end_index === start)
      last.end_index = end
    else this.#add({ type: 'text', start_index: start, end_index: end, ...more })
  }

  /** Stands for something that another field carries. `isNeeded` if a later request depends on its members. */
  reference(block: Fields, isNeeded = false): void {
    this.#add(block)
    this.#isNeeded ||= isNeeded
  }

  /** A block that is carried unchanged. */
  raw(block: Fields, name = textOf(block.type)): void {
    this.#isNeeded = true
    this.#add(block, name)
  }

  omit(name: string, reason: string): void {
    this.#isNeeded = true
    if (this.#omitted.length < MAX_OMITTED) this.#omitted.push({ type: name, reason })
  }

  /** Nothing if other fields of the message have everything. */
  content(container?: unknown): { provider_content?: ProviderContent } {
    if (!this.#isNeeded && !isRecord(container)) return {}
    const provider_content = {
      type: this.#type,
      blocks: this.#blocks,
      ...(isRecord(container) && { container: { ...container } }),
      ...(this.#omitted.length > 0 && { omitted: this.#omitted }),
    }
    return { provider_content }
  }

  #add(block: Fields, name = textOf(block.type)): void {
    refuseEndless({ size: this.#blocks.length })
    const bytes = valueBytes(block)
    if (this.#bytes + bytes > MAX_BYTES) return this.omit(name, 'too large')
    this.#bytes += bytes
    this.#blocks.push(block)
  }
}

const MAX_OMITTED = 100
const FIELD = 'messages.provider_content'

/**
 * The blocks of an earlier answer, with their texts, for the maker that they come from. Undefined if there are none, or if
 * they cannot be sent as they were.
 */
export function earlierBlocks(message: Fields, type: string, notes: Notes): Fields[] | undefined {
  const content = message.provider_content
  if (!isRecord(content)) return undefined
  if (content.type !== type) return void notes.dropped(FIELD, FOREIGN)
  if (recordsIn(content.omitted).length > 0) return void notes.dropped(FIELD, 'some of its blocks were not carried')
  const answerText = textIn(message.content)
  const blocks = recordsIn(content.blocks)
  const texts = blocks.filter((block) => block.type === 'text')
  const isWhole = toNumber(texts.at(-1)?.end_index ?? 0) === answerText.length
  if (!isWhole) return void notes.dropped(FIELD, 'the text of its message has been changed')
  return blocks.map((block) => (block.type === 'text' ? withText(block, answerText) : block))
}

/** Why a provider does not get what another provider did. */
export const FOREIGN = 'only the provider that it comes from understands it'

function withText({ start_index, end_index, ...more }: Fields, answerText: string): Fields {
  return { ...more, text: answerText.slice(toNumber(start_index) || 0, toNumber(end_index) || 0) }
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return recordsIn(content)
    .map(({ text }) => textOf(text))
    .join('')
}
