import type { Fields } from '../../../base/schema/record.ts'
import type { Emit, OpenItem, ItemPosition } from './open-item.ts'
import type { OutputItem } from './output-item.ts'
import { messageItem, refusalPart, textPart } from './output-items.ts'

/** The text of the answer and a refusal are parts of one message. */
export class MessageWriter implements OpenItem {
  readonly #emit: Emit
  readonly #at: ItemPosition
  readonly #parts: { kind: 'text' | 'refusal'; text: string }[] = []
  readonly #annotations: Fields[] = []

  constructor(emit: Emit, at: ItemPosition) {
    this.#emit = emit
    this.#at = at
  }

  begin(): string {
    return this.#emit('response.output_item.added', {
      output_index: this.#at.output_index,
      item: messageItem(this.#at.item_id, [], 'in_progress'),
    })
  }

  add(piece: string, kind: 'text' | 'refusal'): string {
    const opened = this.#parts.at(-1)?.kind === kind ? '' : this.#beginPart(kind)
    this.#parts.at(-1)!.text += piece
    const type = kind === 'text' ? 'response.output_text.delta' : 'response.refusal.delta'
    return opened + this.#emit(type, { ...this.#here(), delta: piece, ...(kind === 'text' && { logprobs: [] }) })
  }

  cite(annotation: Fields): string {
    this.#annotations.push(annotation)
    const annotation_index = this.#annotations.length - 1
    return this.#emit('response.output_text.annotation.added', { ...this.#here(), annotation_index, annotation })
  }

  done(): string {
    const item = { output_index: this.#at.output_index, item: this.item() }
    return this.#endPart() + this.#emit('response.output_item.done', item)
  }

  item(): OutputItem {
    return messageItem(
      this.#at.item_id,
      this.#parts.map((_, at) => this.#part(at)),
    )
  }

  #beginPart(kind: 'text' | 'refusal'): string {
    const before = this.#endPart()
    this.#parts.push({ kind, text: '' })
    return before + this.#emit('response.content_part.added', { ...this.#here(), part: this.#part(this.#last) })
  }

  #endPart(): string {
    const last = this.#parts.at(-1)
    if (!last) return ''
    const reported =
      last.kind === 'text'
        ? this.#emit('response.output_text.done', { ...this.#here(), text: last.text, logprobs: [] })
        : this.#emit('response.refusal.done', { ...this.#here(), refusal: last.text })
    return reported + this.#emit('response.content_part.done', { ...this.#here(), part: this.#part(this.#last) })
  }

  get #last(): number {
    return this.#parts.length - 1
  }

  #here() {
    return { ...this.#at, content_index: this.#last }
  }

  #part(at: number) {
    const { kind, text } = this.#parts[at]!
    return kind === 'text' ? textPart(text, at === 0 ? this.#annotations : []) : refusalPart(text)
  }
}
