import { refuseEndless } from '../../dialects/answer-problems.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

// Events that end a part repeat it whole. Some servers send a part only there: the text with its last event, the arguments of
// a call with `….arguments.done`, or everything with `response.completed`. What is missing is supplied as the events that did
// not come, so that the reader of events knows only one way in which a part arrives.

/** A kind of text in pieces: its event, and the member that has it whole. */
type Kind = { delta: string; done: string; member: string }

const TEXT: Kind = { delta: 'response.output_text.delta', done: 'response.output_text.done', member: 'text' }
const REFUSAL: Kind = { delta: 'response.refusal.delta', done: 'response.refusal.done', member: 'refusal' }
const SUMMARY: Kind = {
  delta: 'response.reasoning_summary_text.delta',
  done: 'response.reasoning_summary_text.done',
  member: 'text',
}
const ARGUMENTS: Kind = {
  delta: 'response.function_call_arguments.delta',
  done: 'response.function_call_arguments.done',
  member: 'arguments',
}
const INPUT: Kind = {
  delta: 'response.custom_tool_call_input.delta',
  done: 'response.custom_tool_call_input.done',
  member: 'input',
}
const KINDS = [TEXT, REFUSAL, SUMMARY, ARGUMENTS, INPUT]
const BY_DELTA: ReadonlyMap<unknown, Kind> = new Map(KINDS.map((kind) => [kind.delta, kind]))
const BY_DONE: ReadonlyMap<unknown, Kind> = new Map(KINDS.map((kind) => [kind.done, kind]))

/** The types of the items that are calls. */
const CALLS = ['function_call', 'custom_tool_call']
/** Not an event of the wire: the arguments of a call whose name no event has. */
export const UNNAMED_CALL = 'gatehouse.unnamed_call'
/** A place that no item of an answer has. */
const FIRST_FREE_PLACE = 1_000_000

const ADDED = 'response.output_item.added'
const ITEM_DONE = 'response.output_item.done'
const ANNOTATION = 'response.output_text.annotation.added'
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

/** Where a piece stands: the item, and the part of it. */
type PiecePosition = { output_index: number; part: number }
/** A text as an event or an item has it whole. */
type Whole = PiecePosition & { kind: Kind; text: string; annotations: Fields[] }

export class MissingPieces {
  /** The characters and the sources of each text that have come. */
  readonly #received = new Map<string, { chars: number; annotations: number }>()
  readonly #announced = new Set<number>()
  /** How many items of each type were announced, and how many have ended. */
  readonly #added = new Map<string, number>()
  readonly #ended = new Map<string, number>()
  /** Arguments of calls that no other event has named yet, by their place or by the id of their item. */
  readonly #unnamed = new Map<unknown, Fields>()
  /** The places of the items that were announced, by their ids; NaN for those without a place. */
  readonly #places = new Map<unknown, number>()
  /** Pieces without a place: then only the whole response says whether anything is missing. */
  #isUnplaced = false

  /** The event, after those that should have come before it. */
  before(event: Fields): Fields[] {
    const { type } = event
    const kind = BY_DELTA.get(type)
    if (kind) this.#add(kind, event)
    else if (type === ADDED) return [event, ...this.#announce(event)]
    else if (type === ANNOTATION) this.#of(TEXT, positionOf(event)).annotations++
    else if (LAST.has(type)) return [...this.#atEnd(recordsIn(recordOf(event.response).output)), event]
    else return [...this.#inEnd(event), event]
    return [event]
  }

  #add(kind: Kind, event: Fields): void {
    this.#isUnplaced ||= typeof event.output_index !== 'number'
    this.#of(kind, positionOf(event)).chars += textOf(event.delta).length
  }

  /** Returns the arguments that came before their call. */
  #announce({ output_index, item }: Fields): Fields[] {
    const { id } = recordOf(item)
    const at = typeof output_index === 'number' ? output_index : Number.NaN
    if (at === output_index) this.#announced.add(at)
    if (typeof id === 'string') this.#places.set(id, at)
    count(this.#added, item)
    refuseEndless(this.#announced)
    refuseEndless(this.#places)
    const early = this.#unnamed.get(output_index)
    this.#unnamed.delete(output_index)
    return early ? this.#argumentsAt(at, early) : []
  }

  #inEnd(event: Fields): Fields[] {
    const { type, output_index } = event
    if (type === ITEM_DONE) count(this.#ended, event.item)
    if (type === ARGUMENTS.done || type === INPUT.done) return this.#inCall(event)
    if (this.#isUnplaced || typeof output_index !== 'number') return []
    if (type === ITEM_DONE) return this.#inItem(recordOf(event.item), output_index)
    return wholesIn(event).flatMap((whole) => this.#rest(whole))
  }

  #inItem(item: Fields, output_index: number): Fields[] {
    const begin = this.#announced.has(output_index) ? [] : this.#begin(item, output_index)
    return [...begin, ...wholesOf(item, output_index).flatMap((whole) => this.#rest(whole))]
  }

  #begin(item: Fields, output_index: number): Fields[] {
    const event = { type: ADDED, output_index, item }
    return [event, ...this.#announce(event)]
  }

  #inCall(event: Fields): Fields[] {
    const at = this.#placeOfCall(event)
    if (at !== undefined) return this.#isUnplaced ? [] : this.#argumentsAt(at, event)
    refuseEndless(this.#unnamed)
    this.#unnamed.set(event.output_index ?? event.item_id, event)
    return []
  }

  /** The place of the call that arguments belong to; undefined if no event has named it, NaN if it has no place. */
  #placeOfCall({ output_index, item_id }: Fields): number | undefined {
    if (typeof output_index === 'number' && this.#announced.has(output_index)) return output_index
    const isOnlyKind =
      output_index === undefined && item_id === undefined && CALLS.some((call) => this.#added.has(call))
    return this.#places.get(item_id) ?? (isOnlyKind ? Number.NaN : undefined)
  }

  #argumentsAt(output_index: number, event: Fields): Fields[] {
    if (Number.isNaN(output_index)) return []
    return wholesIn({ ...event, output_index }).flatMap((whole) => this.#rest(whole))
  }

  #atEnd(output: readonly Fields[]): Fields[] {
    const missing = this.#inResponse(output)
    const calls = output.filter(({ type }) => CALLS.includes(textOf(type)))
    const named = new Set(calls.flatMap(({ id, arguments: json, input }) => [id, json ?? input]))
    named.delete(undefined)
    const unnamed = [...this.#unnamed.values()].filter(
      ({ item_id, arguments: json, input }) => !named.has(item_id) && !named.has(json ?? input),
    )
    return [...missing, ...unnamed.flatMap((event, at) => this.#callOf(event, FIRST_FREE_PLACE + at))]
  }

  /** Newer servers name the call with its arguments. Without a name nothing can be called. */
  #callOf(event: Fields, free: number): Fields[] {
    const { type, name, item_id, call_id, output_index } = event
    const index = this.#placeOfCall(event)
    if (index !== undefined) return this.#argumentsAt(index, event)
    const at = typeof output_index === 'number' ? output_index : free
    const item = {
      type: type === INPUT.done ? 'custom_tool_call' : 'function_call',
      id: item_id,
      call_id: textOf(call_id) || textOf(item_id) || `call_${at}`,
      name,
    }
    if (textOf(name) === '') return [{ type: UNNAMED_CALL, item }]
    return [...this.#begin(item, at), ...this.#argumentsAt(at, event)]
  }

  /** The numbers of items may differ from those of the events, so the sums say whether anything is missing. */
  #inResponse(output: readonly Fields[]): Fields[] {
    const announced = new Map(this.#added)
    const items = output.flatMap((item, at) => (take(announced, item) ? [] : this.#begin(item, at)))
    const wholes = output.flatMap(wholesOf)
    const texts = KINDS.flatMap((kind) =>
      this.#inAll(
        wholes.filter((whole) => whole.kind === kind),
        kind,
      ),
    )
    const ended = new Map(this.#ended)
    const ends = output.flatMap((item, output_index) =>
      take(ended, item) ? [] : [{ type: ITEM_DONE, output_index, item }],
    )
    return [...items, ...texts, ...ends]
  }

  #inAll(wholes: readonly Whole[], kind: Kind): Fields[] {
    const total = wholes.reduce((sum, { text }) => sum + text.length, 0)
    const received = [...this.#received].reduce(
      (sum, [key, { chars }]) => (key.startsWith(kind.delta) ? sum + chars : sum),
      0,
    )
    const missing = wholes.reduce((sum, whole) => sum + this.#lacks(whole), 0)
    return received + missing === total ? wholes.flatMap((whole) => this.#rest(whole)) : []
  }

  #lacks(whole: Whole): number {
    return Math.max(0, whole.text.length - this.#of(whole.kind, whole).chars)
  }

  #rest(whole: Whole): Fields[] {
    const { kind, text, annotations, output_index, part } = whole
    const received = this.#of(kind, whole)
    const position = { output_index, content_index: part, summary_index: part }
    const delta = text.slice(received.chars)
    const later = annotations.slice(received.annotations)
    received.chars = Math.max(received.chars, text.length)
    received.annotations = Math.max(received.annotations, annotations.length)
    return [
      ...(delta ? [{ type: kind.delta, ...position, delta }] : []),
      ...later.map((annotation) => ({ type: ANNOTATION, ...position, annotation })),
    ]
  }

  #of({ delta }: Kind, { output_index, part }: PiecePosition): { chars: number; annotations: number } {
    const key = `${delta} ${output_index} ${part}`
    const existing = this.#received.get(key)
    if (existing) return existing
    refuseEndless(this.#received)
    const received = { chars: 0, annotations: 0 }
    this.#received.set(key, received)
    return received
  }
}

function positionOf({ output_index, content_index, summary_index }: Fields): PiecePosition {
  const part = typeof content_index === 'number' ? content_index : summary_index
  return { output_index: numberOf(output_index), part: numberOf(part) }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** The texts that an event repeats: one of its own, or that of the part that it ends. */
function wholesIn(event: Fields): Whole[] {
  const kind = BY_DONE.get(event.type)
  if (kind) return [{ ...positionOf(event), kind, text: textOf(event[kind.member]), annotations: [] }]
  if (event.type === 'response.content_part.done') return wholeOfPart(recordOf(event.part), positionOf(event))
  if (event.type !== 'response.reasoning_summary_part.done') return []
  return [{ ...positionOf(event), kind: SUMMARY, text: textOf(recordOf(event.part).text), annotations: [] }]
}

function wholesOf(item: Fields, output_index: number): Whole[] {
  const { type, content, summary } = item
  const of = (kind: Kind, text: unknown, part: number): Whole => {
    return { kind, text: textOf(text), output_index, part, annotations: [] }
  }
  if (type === 'function_call') return [of(ARGUMENTS, item.arguments, 0)]
  if (type === 'custom_tool_call') return [of(INPUT, item.input, 0)]
  if (type === 'reasoning') return recordsIn(summary).map(({ text }, part) => of(SUMMARY, text, part))
  if (type !== 'message') return []
  return recordsIn(content).flatMap((one, part) => wholeOfPart(one, { output_index, part }))
}

function wholeOfPart({ type, text, refusal, annotations }: Fields, position: PiecePosition): Whole[] {
  if (type === 'refusal') return [{ ...position, kind: REFUSAL, text: textOf(refusal), annotations: [] }]
  if (type !== 'output_text') return []
  return [{ ...position, kind: TEXT, text: textOf(text), annotations: recordsIn(annotations) }]
}

function count(counts: Map<string, number>, item: unknown): void {
  const type = textOf(recordOf(item).type)
  if (counts.size < MAX_TYPES || counts.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1)
}

/** Whether one more item of this type is known. */
function take(counts: Map<string, number>, { type }: Fields): boolean {
  const remaining = counts.get(textOf(type)) ?? 0
  counts.set(textOf(type), remaining - 1)
  return remaining > 0
}

const MAX_TYPES = 1_000
