import type { StepBudget } from '../step-budget.ts'
import { accepts, type CharSet, casesOf, isWord, onlyUnit } from './char-set.ts'

/** The kind of character on one side of a position in the text. */
export type Side = 'nothing' | 'word' | 'other'

/** Characters that all sets of the automaton treat alike. `accepting` are the numbers of the sets that contain them. */
export type CharClass = { id: number; accepting: ReadonlySet<number>; side: Side }

/** Who pays for the work. */
export type Payer = Pick<StepBudget, 'spend'>

const PAGE_UNITS = 256
/** The cost of a lookup in a set. */
const STEPS_PER_SET = 5

/**
 * Assigns characters to classes as they appear. Most sets of a word list contain one character, which is looked up
 * directly.
 */
export class CharClasses {
  readonly #ignoreCase: boolean
  readonly #budget: Payer
  /** Indexed by the first half of a unit, then by the second: a table of 128 KB for every pattern would be too large. */
  readonly #pages: (CharClass | undefined)[][] = []
  readonly #byKey = new Map<string, CharClass>()
  readonly #ofOneUnit = new Map<number, number[]>()
  readonly #others: { set: CharSet; id: number }[] = []

  constructor(sets: readonly CharSet[], ignoreCase: boolean, budget: Payer) {
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
    const existing = this.#byKey.get(key)
    if (existing) return existing
    const added = { id: this.#byKey.size, accepting: new Set(accepting), side }
    this.#byKey.set(key, added)
    return added
  }
}
