import type { CallPiece } from '../called.ts'
import { eventText } from '../event-text.ts'
import { GrowingJson } from '../growing-json.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { writeJson } from '../../json/written-numbers.ts'

const CALLS: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use'])

type Open = { index: number; kind: 'text' | 'thinking' | 'other'; call?: number }
type Waiting = { id: string; name: string; json: string }

/**
 * Writes content as blocks, one after the other, as this format requires: each block is closed before the next begins.
 * Pieces of tool calls may arrive interleaved; calls that have to wait for the open block are written when it is complete.
 */
export class BlockWriter {
  #next = 0
  #open: Open | undefined
  /** The JSON of the call whose block is open. */
  #json = new GrowingJson()
  readonly #waiting = new Map<number, Waiting>()
  readonly #written = new Set<number>()
  /** Text that arrived in the middle of a call. It is written after the calls. */
  readonly #late: ['text' | 'thought', string][] = []
  readonly #newCallId: (index: number) => string

  constructor(newCallId: (index: number) => string) {
    this.#newCallId = newCallId
  }

  get hasCalls(): boolean {
    return this.#written.size + this.#waiting.size > 0
  }

  get hasOpenText(): boolean {
    return this.#open?.kind === 'text'
  }

  text(text: string): string {
    if (this.#openIsIncomplete()) return this.#later('text', text)
    return this.#ensure('text', { type: 'text', text: '' }) + this.delta({ type: 'text_delta', text })
  }

  thought(thinking: string): string {
    if (this.#openIsIncomplete()) return this.#later('thought', thinking)
    const opened = this.#ensure('thinking', { type: 'thinking', thinking: '', signature: '' })
    return opened + this.delta({ type: 'thinking_delta', thinking })
  }

  call({ index, id, name, json }: CallPiece): string {
    if (this.#open?.call === index) return this.#input(json)
    // A closed block takes nothing more; later pieces for it contain nothing new.
    if (this.#written.has(index)) return ''
    const waiting = this.#waiting.get(index) ?? { id: '', name: '', json: '' }
    this.#waiting.set(index, {
      id: waiting.id || id,
      name: waiting.name || name,
      json: waiting.json + json,
    })
    return this.#openIsIncomplete() ? '' : this.#begin(index)
  }

  /** Writes a block that arrived whole. */
  whole(block: Fields): string {
    const { type, input } = block
    if (!CALLS.has(type) || !isRecord(input)) return this.#start('other', block) + this.close()
    // Clients read the input of a call from its deltas.
    const delta = this.#start('other', { ...block, input: {} })
    return delta + this.delta({ type: 'input_json_delta', partial_json: writeJson(input) }) + this.close()
  }

  delta(delta: Fields): string {
    return eventText({ type: 'content_block_delta', index: this.#open?.index ?? 0, delta })
  }

  /** Closes the open block and writes the calls that waited for it. */
  finish(): string {
    let text = this.close()
    for (const index of this.#waiting.keys()) text += this.#begin(index) + this.close()
    for (const [kind, words] of this.#late.splice(0)) text += this[kind](words)
    return text + this.close()
  }

  close(): string {
    const open = this.#open
    this.#open = undefined
    return open ? eventText({ type: 'content_block_stop', index: open.index }) : ''
  }

  /** Tracks events that were written unchanged, so that another target can continue after them. */
  follow({ type, index, content_block }: Fields): void {
    if (type === 'content_block_stop') this.#open = undefined
    if (type !== 'content_block_start') return
    const kind = (content_block as Fields | undefined)?.type
    const blockIndex = typeof index === 'number' && Number.isSafeInteger(index) ? index : this.#next
    this.#open = { index: blockIndex, kind: kind === 'text' || kind === 'thinking' ? kind : 'other' }
    this.#next = blockIndex + 1
  }

  #ensure(kind: 'text' | 'thinking', block: Fields): string {
    return this.#open?.kind === kind ? '' : this.#start(kind, block)
  }

  #later(kind: 'text' | 'thought', words: string): string {
    this.#late.push([kind, words])
    return ''
  }

  #openIsIncomplete(): boolean {
    return this.#open?.call !== undefined && !this.#json.isWhole
  }

  #begin(index: number): string {
    const { id, name, json } = this.#waiting.get(index)!
    this.#waiting.delete(index)
    this.#written.add(index)
    const block = { type: 'tool_use', id: id || this.#newCallId(index), name, input: {} }
    this.#json = new GrowingJson()
    return this.#start('other', block, index) + this.#input(json)
  }

  #input(json: string): string {
    this.#json.add(json)
    return json === '' ? '' : this.delta({ type: 'input_json_delta', partial_json: json })
  }

  #start(kind: Open['kind'], content_block: Fields, call?: number): string {
    const before = this.close()
    this.#open = { index: this.#next++, kind, ...(call !== undefined && { call }) }
    const { index } = this.#open
    return before + eventText({ type: 'content_block_start', index, content_block })
  }
}
