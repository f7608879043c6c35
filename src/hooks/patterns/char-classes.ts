import type { StepBudget } from '../step-budget.ts'
import { accepts, type CharSet, casesOf, isWord, onlyUnit } from './char-set.ts'

/** What stands on either side of a place in the text. */
export type Side = 'nothing' | 'word' | 'other'

/** Characters that no set of the program tells apart. `accepting` are the numbers of the sets that hold them. */
export type CharClass = { id: number; accepting: ReadonlySet<number>; side: Side }

const PAGE_UNITS = 256
/** What it costs to ask a set whether it holds a character. */
const STEPS_PER_SET = 5

/** Sorts characters into classes, as they come. Most sets of a list of words hold one character: those are looked up. */
export class CharClasses {
  readonly #ignoreCase: boolean
  readonly #budget: StepBudget
  /** By the first half of a unit, then by the second: 128 KB at once for every pattern would be too much. */
  readonly #pages: (CharClass | undefined)[][] = []
  readonly #byKey = new Map<string, CharClass>()
  readonly #ofOneUnit = new Map<number, number[]>()
  readonly #others: { set: CharSet; id: number }[] = []

  constructor(sets: readonly CharSet[], ignoreCase: boolean, budget: StepBudget) {
    this.#ignoreCase = ignoreCase
    this.#budget = budget
    for (const [id, set] of sets.entries()) {
      const unit = onlyUnit(set)
      if (unit === undefined) this.#others.push({ set, id })
      else this.#ofOneUnit.set(unit, [...(this.#ofOneUnit.get(unit) ?? []), id])
    }
  }

  of(unit: number): CharClass {
    return this.#pages[unit >> 8]?.[unit & (PAGE_UNITS - 1)] ?? this.#find(unit)
  }

  #find(unit: number): CharClass {
    const found = this.#classWith(this.#accepting(unit), isWord(unit) ? 'word' : 'other')
    const page = this.#pages[unit >> 8] ?? new Array<undefined>(PAGE_UNITS).fill(undefined)
    page[unit & (PAGE_UNITS - 1)] = found
    this.#pages[unit >> 8] = page
    return found
  }

  #accepting(unit: number): number[] {
    this.#budget.spend((this.#others.length + 1) * STEPS_PER_SET)
    const cases = this.#ignoreCase ? new Set(casesOf(unit)) : [unit]
    const single = [...cases].flatMap((one) => this.#ofOneUnit.get(one) ?? [])
    const others = this.#others.filter(({ set }) => accepts(set, unit, this.#ignoreCase))
    return [...single, ...others.map(({ id }) => id)]
  }

  #classWith(accepting: number[], side: Side): CharClass {
    const key = `${side}:${accepting.join()}`
    const known = this.#byKey.get(key)
    if (known) return known
    const added = { id: this.#byKey.size, accepting: new Set(accepting), side }
    this.#byKey.set(key, added)
    return added
  }
}
