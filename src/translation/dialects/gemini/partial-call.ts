import { unreadable } from '../answer/unreadable-event.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import { writeJson } from '../../json/written-numbers.ts'

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

/** Longer than any path in arguments that are no deeper than a request may be. */
const MAX_PATH_CHARS = 10_000
const MAX_STEPS = 64

type Container = Record<string, unknown> | unknown[]

/** A call whose arguments arrive in pieces, each with its JSON path (`$.a.b[0]`). */
export class PartialCall {
  readonly name: string
  readonly id: string | undefined
  signature = ''
  /** The last text among the arguments goes on in another piece. */
  isInText = false
  #args: Container = empty()

  constructor({ name, id, args }: Fields) {
    this.name = textOf(name)
    this.id = textOf(id) || undefined
    if (args != null && typeof args !== 'object') throw unreadable()
    if (args) this.#args = Object.assign(empty(), args)
  }

  add(pieces: unknown) {
    for (const piece of recordsIn(pieces)) {
      this.isInText = piece.willContinue === true
      const steps = stepsOf(piece.jsonPath)
      if (steps.length > 0 && steps.length <= MAX_STEPS) setAtPath(this.#args, steps, scalarOf(piece))
    }
  }

  get argumentsText(): string {
    return writeJson(this.#args)
  }
}

/** Any name may occur, even `__proto__`. */
function empty(): Record<string, unknown> {
  return Object.create(null)
}

function stepsOf(path: unknown): (string | number)[] {
  const steps: (string | number)[] = []
  if (typeof path !== 'string' || path.length > MAX_PATH_CHARS || !path.startsWith('$')) return steps
  STEP.lastIndex = 1
  for (let match = STEP.exec(path); match; match = STEP.exec(path)) {
    const [, name, index, single, double] = match
    steps.push(index === undefined ? (name ?? (single ?? double)!.replace(/\\(.)/g, '$1')) : Number(index))
  }
  return steps
}

function scalarOf({ stringValue, numberValue, boolValue }: Fields): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null
}

/** A text for a place that already has a text is appended. */
function setAtPath(into: Container, [step, ...rest]: (string | number)[], value: unknown) {
  // Elements arrive in order: an index far beyond the end is an error and would fill the memory with empty entries.
  if (Array.isArray(into) && !(typeof step === 'number' && step <= into.length)) return
  const holder = into as Record<string | number, unknown>
  const before = holder[step!]
  if (rest.length > 0) {
    if (typeof before !== 'object' || before === null) holder[step!] = typeof rest[0] === 'number' ? [] : empty()
    setAtPath(holder[step!] as Container, rest, value)
  } else holder[step!] = typeof before === 'string' && typeof value === 'string' ? before + value : value
}
