import type { Emit, OpenItem, ItemPosition } from './open-item.ts'
import type { OutputItem } from './output-item.ts'

/** Items whose progress has events of their own. */
const EVENTS: Readonly<Record<string, string>> = {
  web_search_call: 'response.web_search_call',
  code_interpreter_call: 'response.code_interpreter_call',
  mcp_call: 'response.mcp_call',
  mcp_list_tools: 'response.mcp_list_tools',
}

/** Writes an item that arrived whole. */
export class StepWriter implements OpenItem {
  readonly #emit: Emit
  readonly #at: ItemPosition
  readonly #item: OutputItem

  constructor(emit: Emit, at: ItemPosition, item: OutputItem) {
    this.#emit = emit
    this.#at = at
    this.#item = item
  }

  begin(): string {
    const { output_index } = this.#at
    const item = 'status' in this.#item ? { ...this.#item, status: 'in_progress' } : this.#item
    return (
      this.#emit('response.output_item.added', { output_index, item }) +
      this.#progress('in_progress') +
      this.#arguments()
    )
  }

  done(): string {
    const { output_index } = this.#at
    const outcome = this.#item.status === 'failed' && this.#item.type === 'mcp_call' ? 'failed' : 'completed'
    return this.#progress(outcome) + this.#emit('response.output_item.done', { output_index, item: this.#item })
  }

  item(): OutputItem {
    return this.#item
  }

  #arguments(): string {
    const { type, arguments: text } = this.#item
    if (type !== 'mcp_call') return ''
    const delta = this.#emit('response.mcp_call_arguments.delta', { ...this.#at, delta: text })
    return delta + this.#emit('response.mcp_call_arguments.done', { ...this.#at, arguments: text })
  }

  #progress(state: string): string {
    const event = EVENTS[this.#item.type]
    return event ? this.#emit(`${event}.${state}`, this.#at) : ''
  }
}
