import type { ChatRequest } from '../../../contract/chat.ts'
import { problem } from '../../../contract/problems.ts'
import { tryParse } from '../../json/try-parse.ts'
import { writeMember } from '../../json/written-numbers.ts'
import { OutOfSteps, StepBudget } from '../step-budget.ts'
import {
  insideOf,
  isArgument,
  isRead,
  isReadName,
  isReadNumber,
  isSkipped,
  type TextPosition,
  topOf,
} from './text-places.ts'

// The one reader of all texts of a request that a hook looks at: what it does not read goes to the provider unseen.

/** Values of a request that are read on the event loop: some 20 ms. */
const MAX_VALUES = 300_000
/** Deeper values could exhaust the stack. */
const MAX_DEPTH = 200

/**
 * Gets each text. A fixed one cannot be replaced: a name, an id, or what a provider has signed. `member` is the name of the member
 * that it is in.
 */
export type ChangeText = (text: string, isFixed: boolean, isArgument: boolean, member: string) => string

/** Every text of a request, in order. */
export function requestTexts(request: ChatRequest): string[] {
  const texts: string[] = []
  mapRequestTexts(request, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** Changes every text of a request. Returns the same request if no text changes. */
export function mapRequestTexts(request: ChatRequest, change: ChangeText): ChatRequest {
  try {
    return new TextWalk(change).value(request, topOf()) as ChatRequest
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    throw problem('too_large', { message: 'The request has too many values, or too deep ones, for its hooks to read.' })
  }
}

class TextWalk {
  readonly #change: ChangeText
  readonly #budget = new StepBudget(MAX_VALUES)

  constructor(change: ChangeText) {
    this.#change = change
  }

  value(value: unknown, position: TextPosition): unknown {
    this.#budget.spend(1)
    if (typeof value === 'string') return this.#text(value, position)
    if (typeof value === 'number' && position.zone === 'arguments') return this.#number(value, position)
    if (typeof value !== 'object' || value === null) return value
    if (position.depth > MAX_DEPTH) throw new OutOfSteps('The value is nested too deeply.')
    return Array.isArray(value) ? this.#list(value, position) : this.#members(value, position)
  }

  #text(text: string, position: TextPosition): string {
    if (!isRead(text, position)) return text
    if (position.member !== 'arguments' || position.isFixed || position.zone === 'arguments')
      return this.#change(text, position.isFixed, isArgument(position), position.member)
    const value = tryParse(text)
    if (value === undefined) return this.#change(text, false, true, position.member)
    const changed = this.value(value, { ...position, zone: 'arguments', isFixed: false })
    const left = saysMoreThan(value, text) ? this.#change(text, false, true, position.member) : text
    return changed === value ? left : JSON.stringify(changed)
  }

  /** Arguments are JSON: a placeholder instead of a bare number would make it invalid, so that it becomes a text. */
  #number(value: number, { member }: TextPosition): number | string {
    const before = String(value)
    const after = this.#change(before, false, true, member)
    return after === before ? value : after
  }

  /** A number as it was written. */
  #numberIn(holder: object, key: string, { isFixed, member }: TextPosition): unknown {
    this.#budget.spend(1)
    const before = writeMember(holder, key)
    const after = this.#change(before, isFixed, false, member)
    return after === before ? Reflect.get(holder, key) : after
  }

  #list(list: readonly unknown[], position: TextPosition): readonly unknown[] {
    const inner = { ...position, depth: position.depth + 1 }
    const changed = list.map((one, at) =>
      isReadNumber(one, inner, true) ? this.#numberIn(list, String(at), inner) : this.value(one, inner),
    )
    return changed.every((one, at) => one === list[at]) ? list : changed
  }

  /** Only plain objects have texts: others stand for numbers with all their digits. */
  #members(object: object, position: TextPosition): object {
    if (Object.getPrototypeOf(object) !== Object.prototype) return object
    let isChanged = false
    const members = Object.entries(object).map(([name, value]) => {
      if (isSkipped(name, value, { object, position })) return [name, value]
      if (isReadName(name, position)) this.#change(name, true, isArgument(position), name)
      const inner = insideOf(position, name)
      const changed = isReadNumber(value, inner, false) ? this.#numberIn(object, name, inner) : this.value(value, inner)
      isChanged ||= changed !== value
      return [name, changed]
    })
    return isChanged ? Object.fromEntries(members) : object
  }
}

const JSON_STRING = /"(?:[^"\\]|\\.)*"/g
const ROUNDED = /\d{16}/

/** Of members with the same name, and of the digits of a long number, JSON that was read has only a part. */
function saysMoreThan(value: unknown, text: string): boolean {
  const written = JSON.stringify(value)
  if (written === text) return false
  if (ROUNDED.test(text.replace(JSON_STRING, ''))) return true
  return countOfStrings(written) !== countOfStrings(text)
}

function countOfStrings(json: string): number {
  return json.match(JSON_STRING)?.length ?? 0
}
