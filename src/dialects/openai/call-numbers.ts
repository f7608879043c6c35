import type { ToolCallFragment } from '../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { partOf, partsOf } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { type Fields, isRecord, textOf } from '../../schema/record.ts'

/** Some wire formats accept ids of up to 64 characters. */
const MAX_ORIGIN_CHARS = 24
/** The total length of the ids and numbers of all calls of an answer, which are kept until it ends. */
const MAX_NAME_CHARS = 4_000_000

/** `number` is ours; hosts send others, or none. */
type Open = { id: string; number: number }

/**
 * Numbers the calls of one answer. Hosts omit the number, give all calls the same one, or repeat id and name with every
 * piece; for callers a number is one call, and only its first piece is named.
 */
export class CallNumbers {
  readonly #origin: unknown
  readonly #byIndex = new Map<unknown, Open>()
  readonly #byId = new Map<string, Open>()
  #count = 0
  #nameChars = 0
  #last: Open | undefined

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
    const open = this.#find(piece.index, id)
    if (open && (!id || id === open.id)) goOn(piece, open)
    else this.#begin(piece, id)
  }

  /** A piece without number and id belongs to the latest call. */
  #find(index: unknown, id: string): Open | undefined {
    if (index != null) return this.#byIndex.get(keyOf(index))
    return id ? this.#byId.get(id) : this.#last
  }

  #begin(piece: Fields, value: string): void {
    refuseEndless({ size: this.#count })
    const number = this.#count++
    const id = value || idOf(this.#origin, number)
    this.#nameChars += id.length + textOf(piece.index).length
    if (this.#nameChars > MAX_NAME_CHARS) throw new UpstreamProblem('garbage', 'the ids of tool calls are too long')
    this.#last = { id, number }
    this.#byIndex.set(keyOf(piece.index), this.#last)
    this.#byId.set(id, this.#last)
    piece.index = number
    piece.id = id
    piece.type = textOf(piece.type) || 'function'
  }
}

/** A list or an object is not a number and is not kept. */
function keyOf(index: unknown): unknown {
  return typeof index === 'object' ? undefined : index
}

function goOn(piece: Fields, { number }: Open): void {
  piece.index = number
  delete piece.id
  delete piece.type
  if (isRecord(piece.function)) delete piece.function.name
}

/**
 * The calls of a complete answer in our format: Mistral omits the type, some hosts the id, and some send arguments as an
 * object.
 */
export function settleCalls(value: unknown, origin: unknown): Fields[] {
  const calls = partsOf(value)
  for (const [at, call] of calls.entries()) {
    if (!textOf(call.id)) call.id = idOf(origin, at)
    call.type = textOf(call.type) || 'function'
    delete call.index
    if (isRecord(call.function)) call.function = { ...call.function, name: textOf(call.function.name) }
    if (isRecord(call.function)) call.function.arguments ??= ''
    settleFunction(call)
  }
  return calls
}

/** Some hosts send arguments as an object. */
function settleFunction(call: Fields): void {
  const called = partOf(call.function)
  if (!isRecord(call.function)) delete call.function
  else if (typeof called.arguments === 'object' && called.arguments !== null)
    called.arguments = JSON.stringify(called.arguments)
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
