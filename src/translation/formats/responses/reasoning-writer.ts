import type { Emit, OpenItem, ItemPosition } from './open-item.ts'
import type { OutputItem } from './output-item.ts'
import { reasoningItem, summaryPart } from './output-items.ts'

/** Writes reasoning as a summary. The encrypted part comes last. */
export class ReasoningWriter implements OpenItem {
  readonly #emit: Emit
  readonly #at: ItemPosition
  #text = ''
  encrypted = ''

  constructor(emit: Emit, at: ItemPosition) {
    this.#emit = emit
    this.#at = at
  }

  begin(): string {
    const item = reasoningItem(this.#at.item_id, '', '')
    return this.#emit('response.output_item.added', { output_index: this.#at.output_index, item })
  }

  add(piece: string): string {
    const opened = this.#text === '' ? this.#emit('response.reasoning_summary_part.added', this.#part()) : ''
    this.#text += piece
    return opened + this.#emit('response.reasoning_summary_text.delta', { ...this.#here(), delta: piece })
  }

  done(): string {
    const reported =
      this.#text === ''
        ? ''
        : this.#emit('response.reasoning_summary_text.done', { ...this.#here(), text: this.#text }) +
          this.#emit('response.reasoning_summary_part.done', this.#part())
    return (
      reported + this.#emit('response.output_item.done', { output_index: this.#at.output_index, item: this.item() })
    )
  }

  item(): OutputItem {
    return reasoningItem(this.#at.item_id, this.#text, this.encrypted)
  }

  #part() {
    return { ...this.#here(), part: summaryPart(this.#text) }
  }

  #here() {
    return { ...this.#at, summary_index: 0 }
  }
}
