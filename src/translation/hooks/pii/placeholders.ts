import type { LongWork } from '../long-work.ts'
import { CHARS_PER_STEP } from '../step-budget.ts'

const MAX_NUMBER_DIGITS = 6
export const PLACEHOLDER = /\[([A-Z_]{1,16})_(\d{1,6})\]/g
/** A text with this end may be the beginning of a placeholder. */
const BEGUN = /\[[A-Z_]{0,17}\d{0,6}$/

/** A part of a text that is searched for placeholders at once. */
const PART_CHARS = 16_384
const STEPS_PER_PLACEHOLDER = 20

/** The placeholders of one call, such as `[EMAIL_1]`. Equal values get the same placeholder. */
export class Placeholders {
  readonly #values = new Map<string, string>()
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /**
   * Continues the numbering after placeholders that the text already contains: a caller's own `[EMAIL_1]` must not be
   * restored.
   */
  async reserve(text: string, work: LongWork): Promise<void> {
    for (const part of partsOf(text)) {
      let steps = part.length / CHARS_PER_STEP
      for (const [, kind, number] of part.matchAll(PLACEHOLDER)) {
        this.#counts.set(kind!, Math.max(this.#counts.get(kind!) ?? 0, Number(number)))
        steps += STEPS_PER_PLACEHOLDER
      }
      const turn = work.spend(steps)
      if (turn) await turn
    }
  }

  /** A value that is not restored never shares a placeholder with one that is. */
  nameFor(kind: string, value: string, isRestored: boolean): string {
    const key = `${isRestored ? '+' : '-'}${kind}:${value}`
    const existing = this.#names.get(key)
    if (existing) return existing
    const name = this.#newName(kind)
    this.#names.set(key, name)
    if (isRestored) this.#values.set(name, value)
    return name
  }

  /** What is put back, by placeholder. */
  get restored(): ReadonlyMap<string, string> {
    return this.#values
  }

  get hasValues(): boolean {
    return this.#values.size > 0
  }

  /** A short text may become a long one, so what is added is charged, too. */
  restore(text: string, spend: (steps: number) => void = () => undefined): string {
    return text.replace(PLACEHOLDER, (name) => {
      const value = this.#values.get(name) ?? name
      spend(STEPS_PER_PLACEHOLDER + value.length / 2)
      return value
    })
  }

  /** Like restore, for a text of any length. */
  async restoreAll(text: string, work: LongWork): Promise<string> {
    const restored: string[] = []
    for (const part of partsOf(text)) {
      let steps = part.length / CHARS_PER_STEP
      restored.push(
        this.restore(part, (more) => {
          steps += more
        }),
      )
      const turn = work.spend(steps)
      if (turn) await turn
    }
    return restored.join('')
  }

  #newName(kind: string): string {
    const label = kind.toUpperCase()
    const number = (this.#counts.get(label) ?? 0) + 1
    this.#counts.set(label, number % 10 ** MAX_NUMBER_DIGITS)
    return `[${label}_${number}]`
  }
}

/** The start of a suffix that may become a placeholder when more text arrives. */
export function placeholderBegun(text: string): number {
  const found = BEGUN.exec(text.slice(-(16 + MAX_NUMBER_DIGITS + 2)))
  return found ? text.length - found[0].length : text.length
}

/** No part ends inside of a placeholder. */
function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + PART_CHARS)
    const end = at + part.length === text.length ? part.length : placeholderBegun(part)
    yield part.slice(0, end)
    at += end
  }
}
