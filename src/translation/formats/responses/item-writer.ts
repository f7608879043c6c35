import type { CallPiece } from '../called.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { seal } from '../sealed-reasoning.ts'
import { CallWriter } from './call-writer.ts'
import { MessageWriter } from './message-writer.ts'
import type { Emit, OpenItem, ItemPosition } from './open-item.ts'
import { isStep, type ResponsesItem, type ServerStep } from '../server-step.ts'
import { flatAnnotation } from './annotations.ts'
import type { OutputItem } from './output-item.ts'
import type { FlatNames } from './namespaces.ts'
import { type ItemKind, itemId } from './output-item.ts'
import { ReasoningWriter } from './reasoning-writer.ts'
import { kindOfStep, stepItem } from './step-items.ts'
import { StepWriter } from './step-writer.ts'

/** Writes the items of one response, in the order in which they began. */
export class ItemWriter {
  readonly #emit: Emit
  readonly #responseId: string
  readonly #names: FlatNames
  readonly #provider: () => string
  readonly #items: OpenItem[] = []
  readonly #open = new Set<OpenItem>()
  readonly #calls = new Map<number, CallWriter>()
  #message: MessageWriter | undefined
  #reasoning: ReasoningWriter | undefined
  details: unknown[] = []

  constructor({ id: responseId, names }: { id: string; names: FlatNames }, emit: Emit, provider: () => string) {
    this.#names = names
    this.#responseId = responseId
    this.#emit = emit
    this.#provider = provider
  }

  get output(): OutputItem[] {
    return this.#items.map((open) => open.item())
  }

  thought(piece: string): string {
    const opened = this.#reasoning ? '' : this.#beginReasoning()
    return opened + this.#reasoning!.add(piece)
  }

  text(piece: string, kind: 'text' | 'refusal'): string {
    const before = this.#reasoning ? this.#end(this.#reasoning) : ''
    const opened = this.#message ? '' : this.#beginMessage()
    return before + opened + this.#message!.add(piece, kind)
  }

  cite(annotations: readonly Fields[]): string {
    return annotations.map((annotation) => this.#message?.cite(flatAnnotation(annotation)) ?? '').join('')
  }

  call(piece: CallPiece): string {
    const existing = this.#calls.get(piece.index)
    if (existing) return existing.add(piece.json)
    const writer = new CallWriter(this.#emit, this.#next(piece.isCustom ? 'ctc' : 'fc'), {
      ...piece,
      ...this.#names.own(piece.name),
    })
    this.#calls.set(piece.index, writer)
    return this.#begin(writer) + writer.add(piece.json)
  }

  /** Something that the provider did by itself. */
  step(step: ServerStep | ResponsesItem): string {
    const at = this.#next(isStep(step) ? kindOfStep(step) : 'ws')
    const item = isStep(step) ? stepItem(at.item_id, step) : (step.item as OutputItem)
    const writer = new StepWriter(this.#emit, { ...at, item_id: item.id }, item)
    return this.#begin(writer) + this.#end(writer)
  }

  /** Encrypted reasoning arrives only now. If its reasoning item is already closed, it gets an item of its own. */
  finish(): string {
    let text = ''
    for (const open of [...this.#open]) if (open !== this.#reasoning) text += this.#end(open)
    if (this.details.length === 0) return text + (this.#reasoning ? this.#end(this.#reasoning) : '')
    if (!this.#reasoning || !this.#open.has(this.#reasoning)) text += this.#beginReasoning()
    this.#reasoning!.encrypted = seal(this.details, this.#provider())
    return text + this.#end(this.#reasoning!)
  }

  #beginReasoning(): string {
    this.#reasoning = new ReasoningWriter(this.#emit, this.#next('rs'))
    return this.#begin(this.#reasoning)
  }

  #beginMessage(): string {
    this.#message = new MessageWriter(this.#emit, this.#next('msg'))
    return this.#begin(this.#message)
  }

  #begin(open: OpenItem): string {
    this.#items.push(open)
    this.#open.add(open)
    return open.begin()
  }

  #end(open: OpenItem): string {
    return this.#open.delete(open) ? open.done() : ''
  }

  #next(kind: ItemKind): ItemPosition {
    const output_index = this.#items.length
    return { output_index, item_id: itemId(kind, this.#responseId, output_index) }
  }
}
