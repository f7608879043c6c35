import { refuseEndless } from '../../dialects/answer-problems.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../schema/record.ts'

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

const ADDED = 'response.output_item.added'
const ITEM_DONE = 'response.output_item.done'
const ANNOTATION = 'response.output_text.annotation.added'
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

/** Where a piece stands: the item, and the part of it. */
type Place = { output_index: number; part: number }
/** A text as an event or an item has it whole. */
type Whole = Place & { kind: Kind; text: string; annotations: Fields[] }

export class MissingPieces {
  /** The characters and the sources of each text that have come. */
  readonly #said = new Map<string, { chars: number; annotations: number }>()
  readonly #announced = new Set<number>()
  /** How many items of each type were announced, and how many have ended. */
  readonly #added = new Map<string, number>()
  readonly #ended = new Map<string, number>()
  /** Pieces without a place: then only the whole response says whether anything is missing. */
  #isUnplaced = false

  /** The event, after those that should have come before it. */
  before(event: Fields): Fields[] {
    const { type } = event
    const kind = BY_DELTA.get(type)
    if (kind) this.#add(kind, event)
    else if (type === ADDED) this.#announce(event)
    else if (type === ANNOTATION) this.#of(TEXT, placeOf(event)).annotations++
    else if (LAST.has(type)) return [...this.#inResponse(recordsIn(recordOf(event.response).output)), event]
    else return [...this.#inEnd(event), event]
    return [event]
  }

  #add(kind: Kind, event: Fields): void {
    this.#isUnplaced ||= typeof event.output_index !== 'number'
    this.#of(kind, placeOf(event)).chars += textOf(event.delta).length
  }

  #announce({ output_index, item }: Fields): void {
    if (typeof output_index === 'number') this.#announced.add(output_index)
    count(this.#added, item)
    refuseEndless(this.#announced)
  }

  #inEnd(event: Fields): Fields[] {
    const { type, output_index } = event
    if (type === ITEM_DONE) count(this.#ended, event.item)
    if (this.#isUnplaced || typeof output_index !== 'number') return []
    if (type === ITEM_DONE) return this.#inItem(recordOf(event.item), output_index)
    // Arguments belong to a call, whose name and id come with its item.
    const isOfCall = type === ARGUMENTS.done || type === INPUT.done
    if (isOfCall && !this.#announced.has(output_index)) return []
    return wholesIn(event).flatMap((whole) => this.#rest(whole))
  }

  #inItem(item: Fields, output_index: number): Fields[] {
    const begin = this.#announced.has(output_index) ? [] : this.#begin(item, output_index)
    return [...begin, ...wholesOf(item, output_index).flatMap((whole) => this.#rest(whole))]
  }

  #begin(item: Fields, output_index: number): Fields[] {
    const event = { type: ADDED, output_index, item }
    this.#announce(event)
    return [event]
  }

  /** The numbers of items may differ from those of the events, so the sums say whether anything is missing. */
  #inResponse(output: readonly Fields[]): Fields[] {
    const known = new Map(this.#added)
    const items = output.flatMap((item, at) => (take(known, item) ? [] : this.#begin(item, at)))
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
    const said = [...this.#said].reduce((sum, [key, { chars }]) => (key.startsWith(kind.delta) ? sum + chars : sum), 0)
    const missing = wholes.reduce((sum, whole) => sum + this.#lacks(whole), 0)
    return said + missing === total ? wholes.flatMap((whole) => this.#rest(whole)) : []
  }

  #lacks(whole: Whole): number {
    return Math.max(0, whole.text.length - this.#of(whole.kind, whole).chars)
  }

  #rest(whole: Whole): Fields[] {
    const { kind, text, annotations, output_index, part } = whole
    const said = this.#of(kind, whole)
    const place = { output_index, content_index: part, summary_index: part }
    const delta = text.slice(said.chars)
    const later = annotations.slice(said.annotations)
    said.chars = Math.max(said.chars, text.length)
    said.annotations = Math.max(said.annotations, annotations.length)
    return [
      ...(delta ? [{ type: kind.delta, ...place, delta }] : []),
      ...later.map((annotation) => ({ type: ANNOTATION, ...place, annotation })),
    ]
  }

  #of({ delta }: Kind, { output_index, part }: Place): { chars: number; annotations: number } {
    const key = `${delta} ${output_index} ${part}`
    const known = this.#said.get(key)
    if (known) return known
    refuseEndless(this.#said)
    const said = { chars: 0, annotations: 0 }
    this.#said.set(key, said)
    return said
  }
}

function placeOf({ output_index, content_index, summary_index }: Fields): Place {
  const part = typeof content_index === 'number' ? content_index : summary_index
  return { output_index: numberOf(output_index), part: numberOf(part) }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** The texts that an event repeats: one of its own, or that of the part that it ends. */
function wholesIn(event: Fields): Whole[] {
  const kind = BY_DONE.get(event.type)
  if (kind) return [{ ...placeOf(event), kind, text: textOf(event[kind.member]), annotations: [] }]
  if (event.type === 'response.content_part.done') return wholeOfPart(recordOf(event.part), placeOf(event))
  if (event.type !== 'response.reasoning_summary_part.done') return []
  return [{ ...placeOf(event), kind: SUMMARY, text: textOf(recordOf(event.part).text), annotations: [] }]
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

function wholeOfPart({ type, text, refusal, annotations }: Fields, place: Place): Whole[] {
  if (type === 'refusal') return [{ ...place, kind: REFUSAL, text: textOf(refusal), annotations: [] }]
  if (type !== 'output_text') return []
  return [{ ...place, kind: TEXT, text: textOf(text), annotations: recordsIn(annotations) }]
}

function count(counts: Map<string, number>, item: unknown): void {
  const type = textOf(recordOf(item).type)
  if (counts.size < MAX_TYPES || counts.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1)
}

/** Whether one more item of this type is known. */
function take(counts: Map<string, number>, { type }: Fields): boolean {
  const left = counts.get(textOf(type)) ?? 0
  counts.set(textOf(type), left - 1)
  return left > 0
}

const MAX_TYPES = 1_000
