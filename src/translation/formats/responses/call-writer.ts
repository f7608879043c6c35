import type { CallPiece } from '../called.ts'
import type { Emit, OpenItem, ItemPosition } from './open-item.ts'
import type { OutputItem } from './output-item.ts'
import { callItem } from './output-items.ts'

/** Writes a tool call whose arguments arrive in pieces. */
export class CallWriter implements OpenItem {
  readonly #emit: Emit
  readonly #at: ItemPosition
  readonly #piece: CallPiece & { namespace?: string }
  #json = ''

  constructor(emit: Emit, at: ItemPosition, piece: CallPiece & { namespace?: string }) {
    this.#emit = emit
    this.#at = at
    this.#piece = piece
  }

  begin(): string {
    return this.#emit('response.output_item.added', {
      output_index: this.#at.output_index,
      item: this.#item('in_progress'),
    })
  }

  add(piece: string): string {
    this.#json += piece
    return piece === '' ? '' : this.#emit(`${this.#name}.delta`, { ...this.#at, delta: piece })
  }

  done(): string {
    const whole = this.#piece.isCustom ? { input: this.#json } : { name: this.#piece.name, arguments: this.#json }
    const reported = this.#emit(`${this.#name}.done`, { ...this.#at, ...whole })
    return (
      reported + this.#emit('response.output_item.done', { output_index: this.#at.output_index, item: this.item() })
    )
  }

  item(): OutputItem {
    return this.#item('completed')
  }

  get #name(): string {
    return this.#piece.isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  }

  #item(status: string): OutputItem {
    const { id, json: _, index: __, ...named } = this.#piece
    return callItem(this.#at.item_id, { callId: id, ...named, json: this.#json }, status)
  }
}
