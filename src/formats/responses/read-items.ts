import { valueBytes } from '../../json/value-bytes.ts'
import { type Fields, recordOf, recordsIn } from '../../schema/record.ts'
import { nestedAnnotation } from './annotations.ts'

// Items of a provider's own tools (searches, code, MCP) and the sources of its texts, as a chat message carries them.

/** Items that other fields of a message carry. */
const CARRIED: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call', 'reasoning'])
const MAX_BYTES = 8_000_000
const MAX_OMITTED = 100

export function isServerItem({ type }: Fields): boolean {
  return typeof type === 'string' && !CARRIED.has(type)
}

type Span = { start: number; end: number }

/** Collects items and sources, one by one. What is too large is named instead. */
export class ItemCollector {
  readonly #blocks: Fields[] = []
  readonly #annotations: Fields[] = []
  readonly #omitted: Fields[] = []
  #bytes = 0
  #hasItems = false

  item(item: Fields): void {
    this.#hasItems = true
    if (this.#fits(item)) this.#blocks.push({ type: 'item', item })
    else this.#omit(item.type)
  }

  text({ start, end }: Span): void {
    const last = this.#blocks.at(-1)
    if (last?.type === 'text') last.end_index = end
    else if (end > start) this.#blocks.push({ type: 'text', start_index: start, end_index: end })
  }

  /** `start` is where the annotated text begins in the answer. */
  annotation(annotation: Fields, start: number): void {
    const moved = { ...annotation }
    for (const name of ['start_index', 'end_index'])
      if (typeof moved[name] === 'number') moved[name] = Number(moved[name]) + start
    if (this.#fits(moved)) this.#annotations.push(nestedAnnotation(moved))
    else this.#omit('annotation')
  }

  fields(): { annotations?: Fields[]; provider_content?: { type: string; blocks: Fields[]; omitted?: Fields[] } } {
    const omitted = this.#omitted.length > 0 ? { omitted: this.#omitted } : {}
    return {
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
      ...(this.#hasItems && { provider_content: { type: 'responses', blocks: this.#blocks, ...omitted } }),
    }
  }

  #omit(type: unknown): void {
    this.#hasItems = true
    if (this.#omitted.length < MAX_OMITTED) this.#omitted.push({ type, reason: 'too large' })
  }

  #fits(value: Fields): boolean {
    const bytes = valueBytes(value)
    if (this.#bytes + bytes > MAX_BYTES) return false
    this.#bytes += bytes
    return true
  }
}

/** Items and sources of a complete output. */
export function itemsIn(output: readonly Fields[]): ReturnType<ItemCollector['fields']> {
  const collector = new ItemCollector()
  let start = 0
  for (const item of output) {
    if (isServerItem(item)) collector.item(item)
    for (const part of recordsIn(item.content)) {
      if (part.type !== 'output_text' || typeof part.text !== 'string') continue
      for (const annotation of recordsIn(part.annotations)) collector.annotation(annotation, start)
      collector.text({ start, end: start + part.text.length })
      start += part.text.length
    }
  }
  return collector.fields()
}

/** The same for the events of a stream. Returns the item of a provider's own tool when it is complete. */
export class StreamedItems {
  readonly #collector = new ItemCollector()
  #chars = 0
  #start = 0

  read({ type, item, annotation, delta }: Fields): Fields | undefined {
    if (type === 'response.content_part.added') this.#start = this.#chars
    if (type === 'response.output_text.annotation.added') this.#collector.annotation(recordOf(annotation), this.#start)
    if (type === 'response.output_text.delta' && typeof delta === 'string') {
      this.#collector.text({ start: this.#chars, end: this.#chars + delta.length })
      this.#chars += delta.length
    }
    const done = type === 'response.output_item.done' ? recordOf(item) : {}
    if (!isServerItem(done)) return undefined
    this.#collector.item(done)
    return done
  }

  fields(): ReturnType<ItemCollector['fields']> {
    return this.#collector.fields()
  }
}
