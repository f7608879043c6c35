import type { Delta, ReplyMessage } from '../../../contract/chat-reply.ts'
import type { ProviderContent } from '../../../contract/provider-content.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { refuseTooManyChoices } from '../answer-problems.ts'
import { earlierBlocks, ProviderBlocks } from '../provider-blocks.ts'
import type { Notes } from '../notes.ts'
import type { Compat } from './compat.ts'

// Mistral and others answer in parts. Text and reasoning have fields of their own; all other parts (references to results of
// a search, files of a tool) travel as `provider_content`.

/** Parts that fields of the message carry. */
const CHAT_PART_TYPES: ReadonlySet<unknown> = new Set(['text', 'thinking', 'reasoning'])

export function makerOf(compat: Compat | undefined): string {
  return compat?.mistral ? 'mistral' : 'parts'
}

/** Must be called before the parts become text. */
export function partContent(content: unknown, maker: string): { provider_content?: ProviderContent } {
  if (!Array.isArray(content)) return {}
  const reader = new PartReader(maker)
  reader.read(content)
  return reader.content()
}

class PartReader {
  readonly #blocks: ProviderBlocks
  #chars = 0

  constructor(maker: string) {
    this.#blocks = new ProviderBlocks(maker)
  }

  read(content: unknown): void {
    if (typeof content === 'string') this.#say(content)
    for (const part of recordsIn(content)) {
      if (part.type === 'text') this.#say(textOf(part.text))
      else if (!CHAT_PART_TYPES.has(part.type)) this.#blocks.raw(part)
    }
  }

  content(): { provider_content?: ProviderContent } {
    return this.#blocks.content()
  }

  #say(text: string): void {
    this.#blocks.text({ start: this.#chars, end: this.#chars + text.length })
    this.#chars += text.length
  }
}

/** The parts of the answers of a stream, which also come as plain text in between. */
export class PartStreams {
  readonly #maker: string
  readonly #alwaysCounts: boolean
  readonly #readers = new Map<number, PartReader>()

  constructor(compat: Compat | undefined) {
    this.#maker = makerOf(compat)
    this.#alwaysCounts = compat?.mistral === true
  }

  /** Must be called before the parts become text. The last delta of an answer gets the parts. */
  take(index: number, delta: Delta & { content?: unknown }, isLast: boolean): void {
    const { content } = delta as Fields
    const existing = this.#readers.get(index)
    if (!existing && !this.#alwaysCounts && !isRecordList(content)) return
    const reader = existing ?? this.#open(index)
    reader.read(content)
    if (isLast) Object.assign(delta, reader.content())
  }

  #open(index: number): PartReader {
    const reader = new PartReader(this.#maker)
    this.#readers.set(index, reader)
    refuseTooManyChoices(this.#readers.size)
    return reader
  }
}

function isRecordList(content: unknown): boolean {
  return Array.isArray(content) && content.some(isRecord)
}

/** Mistral accepts its own parts again. Nothing is known about other hosts, so they get the text only. */
export function withParts(
  message: Fields,
  compat: Compat,
  notes: Notes,
): ReplyMessage['content'] | Fields[] | undefined {
  const maker = makerOf(compat)
  const blocks = earlierBlocks(message, compat.mistral ? maker : '', notes)
  return blocks?.filter(({ type, text }) => type !== 'text' || text !== '')
}
