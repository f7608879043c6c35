import type { ToolCallFragment } from '../../../contract/chat-reply.ts'
import { JsonBrackets } from '../../json/json-brackets.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { partOf, partsOf } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { writeJson } from '../../json/written-numbers.ts'

/** Some wire formats accept ids of up to 64 characters. */
const MAX_ORIGIN_CHARS = 24
/** The total length of the ids and numbers of all calls of an answer, which are kept until it ends. */
const MAX_NAME_CHARS = 4_000_000

/**
 * Numbers the calls of one answer. Hosts omit the number, give all calls the same one, or another id to every piece, and
 * repeat id and name with every piece; for callers a number is one call, and only its first piece is named.
 */
export class CallNumbers {
  readonly #origin: unknown
  readonly #byIndex = new Map<unknown, OpenCall>()
  readonly #byId = new Map<string, OpenCall>()
  #count = 0
  #nameChars = 0
  #last: OpenCall | undefined

  constructor(origin: unknown) {
    this.#origin = origin
  }

  take(value: unknown): ToolCallFragment[] {
    const pieces = partsOf(value)
    for (const piece of pieces) {
      if (piece.function !== undefined) settleFunction(piece)
      this.#number(piece)
    }
    return pieces as ToolCallFragment[]
  }

  #number(piece: Fields): void {
    const id = textOf(piece.id)
    const { name, json } = calledIn(piece)
    const open = this.#find(piece.index, id, name)
    const isKnown = open && (!id || id === open.id || open.goesOnWith(name))
    const call = isKnown ? goOn(piece, open) : this.#begin(piece, id, name)
    call.add(json)
  }

  /** A piece without number, and without an id or a name of its own, belongs to the latest call. */
  #find(index: unknown, id: string, name: string): OpenCall | undefined {
    if (index != null) return this.#byIndex.get(keyOf(index))
    return id ? (this.#byId.get(id) ?? (name ? undefined : this.#last)) : this.#last
  }

  #begin(piece: Fields, value: string, name: string): OpenCall {
    refuseEndless({ size: this.#count })
    const number = this.#count++
    const id = value || idOf(this.#origin, number)
    this.#nameChars += id.length + textOf(piece.index).length
    if (this.#nameChars > MAX_NAME_CHARS) throw new UpstreamProblem('garbage', 'the ids of tool calls are too long')
    this.#last = new OpenCall(id, number, name)
    this.#byIndex.set(keyOf(piece.index), this.#last)
    this.#byId.set(id, this.#last)
    piece.index = number
    piece.id = id
    piece.type = textOf(piece.type) || 'function'
    return this.#last
  }
}

/** A call while its pieces arrive. `number` is ours; hosts send others, or none. */
class OpenCall {
  readonly id: string
  readonly number: number
  readonly #name: string
  readonly #brackets = new JsonBrackets()
  /** Arguments that were not needed yet. */
  #unread = ''

  constructor(id: string, number: number, name: string) {
    this.id = id
    this.number = number
    this.#name = name
  }

  add(json: string): void {
    this.#unread += json
  }

  /** Whether a piece with another id goes on with this call: a new one has a name, and begins when this one is complete. */
  goesOnWith(name: string): boolean {
    if (!name) return true
    this.#brackets.add(this.#unread)
    this.#unread = ''
    return name === this.#name && !this.#brackets.isClosed
  }
}

/** The name and the arguments in a piece of a call. */
function calledIn({ function: called, custom }: Fields): { name: string; json: string } {
  const { name, arguments: json } = recordOf(called ?? custom)
  return { name: textOf(name), json: textOf(json) }
}

/** A list or an object is not a number and is not kept. */
function keyOf(index: unknown): unknown {
  return typeof index === 'object' ? undefined : index
}

function goOn(piece: Fields, call: OpenCall): OpenCall {
  piece.index = call.number
  delete piece.id
  delete piece.type
  if (isRecord(piece.function)) delete piece.function.name
  return call
}

/**
 * The calls of a complete answer in our format: Mistral omits the type, some hosts the id, and some send arguments as an
 * object.
 */
export function settleCalls(value: unknown, origin: unknown): Fields[] {
  const calls = partsOf(value)
  calls.forEach((call, at) => {
    if (!textOf(call.id)) call.id = idOf(origin, at)
    call.type = textOf(call.type) || 'function'
    delete call.index
    if (isRecord(call.function)) call.function = { ...call.function, name: textOf(call.function.name) }
    if (isRecord(call.function)) call.function.arguments ??= ''
    settleFunction(call)
  })
  return calls
}

/** Some hosts send arguments as an object. */
function settleFunction(call: Fields): void {
  const called = partOf(call.function)
  if (!isRecord(call.function)) delete call.function
  else if (typeof called.arguments === 'object' && called.arguments !== null)
    called.arguments = writeJson(called.arguments)
  else if (called.arguments != null) called.arguments = String(called.arguments)
}

/**
 * A call needs an id, which its result will name. If the host sends none, it is derived from the id of the answer and the
 * position.
 */
function idOf(origin: unknown, number: number): string {
  return `call_${textOf(origin)
    .replace(/[^a-zA-Z0-9]/g, '')
    .slice(-MAX_ORIGIN_CHARS)}${number}`
}
