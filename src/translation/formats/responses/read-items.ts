import type { ProviderContent } from '../../../contract/provider-content.ts'
import { ProviderBlocks } from '../../dialects/provider-blocks.ts'
import { valueBytes } from '../../json/value-bytes.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { nestedAnnotation } from './annotations.ts'

// Items of a provider's own tools (searches, code, MCP) and the sources of its texts, as a chat message carries them.

/** Items that other fields of a message carry. */
const CHAT_ITEM_TYPES: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call', 'reasoning'])
const MAX_ANNOTATION_BYTES = 8_000_000

type CollectedFields = { annotations?: Fields[]; provider_content?: ProviderContent }

/** Items and sources of a complete output. */
export function itemsIn(output: readonly Fields[]): CollectedFields {
  const blocks = new ProviderBlocks('responses')
  const annotations = new Annotations(blocks)
  let start = 0
  for (const item of output) {
    if (isServerItem(item)) blocks.raw({ type: 'item', item }, textOf(item.type))
    for (const part of recordsIn(item.content)) {
      if (part.type !== 'output_text' || typeof part.text !== 'string') continue
      for (const annotation of recordsIn(part.annotations)) annotations.add(annotation, start)
      blocks.text({ start, end: start + part.text.length })
      start += part.text.length
    }
  }
  return { ...annotations.fields(), ...blocks.content() }
}

/** The same for the events of a stream. Returns the item of a provider's own tool when it is complete. */
export class StreamedItems {
  readonly #blocks = new ProviderBlocks('responses')
  readonly #annotations = new Annotations(this.#blocks)
  #chars = 0
  #start = 0

  read({ type, item, annotation, delta }: Fields): Fields | undefined {
    if (type === 'response.content_part.added') this.#start = this.#chars
    if (type === 'response.output_text.annotation.added') this.#annotations.add(recordOf(annotation), this.#start)
    if (type === 'response.output_text.delta' && typeof delta === 'string') {
      this.#blocks.text({ start: this.#chars, end: this.#chars + delta.length })
      this.#chars += delta.length
    }
    const done = type === 'response.output_item.done' ? recordOf(item) : {}
    if (!isServerItem(done)) return undefined
    this.#blocks.raw({ type: 'item', item: done }, textOf(done.type))
    return done
  }

  /** A call that cannot be made. */
  omit({ type }: Fields): void {
    this.#blocks.omit(textOf(type), 'the provider did not name it')
  }

  fields(): CollectedFields {
    return { ...this.#annotations.fields(), ...this.#blocks.content() }
  }
}

function isServerItem({ type }: Fields): boolean {
  return typeof type === 'string' && !CHAT_ITEM_TYPES.has(type)
}

/** Sources of the texts, up to a total size. The blocks name what is omitted. */
class Annotations {
  readonly #blocks: ProviderBlocks
  readonly #annotations: Fields[] = []
  #bytes = 0

  constructor(blocks: ProviderBlocks) {
    this.#blocks = blocks
  }

  /** `start` is where the annotated text begins in the answer. */
  add(annotation: Fields, start: number): void {
    const moved = { ...annotation }
    for (const name of ['start_index', 'end_index'])
      if (typeof moved[name] === 'number') moved[name] = Number(moved[name]) + start
    const bytes = valueBytes(moved)
    if (this.#bytes + bytes > MAX_ANNOTATION_BYTES) return this.#blocks.omit('annotation', 'too large')
    this.#bytes += bytes
    this.#annotations.push(nestedAnnotation(moved))
  }

  fields(): { annotations?: Fields[] } {
    return this.#annotations.length > 0 ? { annotations: this.#annotations } : {}
  }
}
