import { type CharClass, CharClasses, type Payer, type Side } from './char-classes.ts'
import type { Program } from './compile-patterns.ts'
import type { Edge } from './parse-pattern.ts'

/** Patterns can have more spots than should be kept in memory. */
const MAX_KNOWN_STATES = 200_000

/** A set of states that a search can be in. It is computed once and then reused. */
export type Spot = { states: readonly number[]; before: Side; found: number; moves: (Spot | undefined)[] }

/**
 * The shared automaton of patterns, for all texts that are searched. Each transition is computed and charged when it first
 * occurs; after that it costs next to nothing.
 */
export class PatternMachine {
  readonly start: Spot
  readonly #program: Program
  readonly #budget: Payer
  readonly #classes: CharClasses
  /** Where a match may begin at every character. */
  readonly #starts: readonly number[]
  readonly #spots = new Map<string, Spot>()
  /** The turn in which a state was last reached. This is cheaper than a set per turn. */
  readonly #reached: Uint32Array
  #turn = 0
  #stateCount = 0

  /** An anchored automaton only finds matches that begin where the search begins (`startAfter`). */
  constructor(program: Program, ignoreCase: boolean, budget: Payer, isAnchored = false) {
    this.#program = program
    this.#starts = isAnchored ? [] : program.starts
    this.#budget = budget
    this.#classes = new CharClasses(program.sets, ignoreCase, budget)
    this.#reached = new Uint32Array(program.states.length)
    this.start = this.#spotOf([], 'nothing', -1)
  }

  /** The spot that a character leads to. */
  next(from: Spot, unit: number): Spot {
    const kind = this.#classes.of(unit)
    return from.moves[kind.id] ?? this.#move(from, kind)
  }

  /** The spot of an anchored search behind this character; behind the beginning of the text, if it is undefined. */
  startAfter(unit: number | undefined): Spot {
    const before = unit === undefined ? 'nothing' : this.#classes.of(unit).side
    return this.#spotOf(this.#program.starts, before, -1)
  }

  /** The index of the pattern that was found, or that matches if the text ends here, or -1. */
  foundAtEnd(spot: Spot): number {
    return spot.found >= 0 ? spot.found : this.endingHere(spot)
  }

  /** The index of the pattern that matches if the text ends here, or -1. */
  endingHere({ states, before }: Spot): number {
    return this.#foundIn(this.#reach(states, before, 'nothing'))
  }

  #move(from: Spot, { id, side, accepting }: CharClass): Spot {
    const reached = this.#reach(from.states, from.before, side)
    const found = this.#foundIn(reached)
    const states = this.#after(reached, accepting)
    // Transitions that are used so rarely are not worth remembering.
    this.#stateCount += states.length + 1
    if (this.#stateCount > MAX_KNOWN_STATES) return { states, before: side, found, moves: [] }
    from.moves[id] = this.#spotOf(states, side, found)
    return from.moves[id]
  }

  /** All states that can be reached without a character, for the given kinds of characters on both sides. */
  #reach(states: readonly number[], before: Side, after: Side): number[] {
    this.#turn += 1
    const list: number[] = []
    for (const at of states) this.#add(at, list)
    for (const at of this.#starts) this.#add(at, list)
    let ways = 0
    for (let index = 0; index < list.length; index++) {
      const state = this.#program.states[list[index]!]!
      if (state.kind === 'split') for (const next of state.next) this.#add(next, list)
      else if (state.kind === 'edge' && holds(state.edge, before, after)) this.#add(state.next, list)
      if (state.kind === 'split') ways += state.next.length
    }
    this.#budget.spend(list.length + ways + 1)
    return list
  }

  #add(at: number, list: number[]): void {
    if (this.#reached[at] === this.#turn) return
    this.#reached[at] = this.#turn
    list.push(at)
  }

  #foundIn(reached: readonly number[]): number {
    for (const at of reached) {
      const state = this.#program.states[at]!
      if (state.kind === 'match') return state.pattern
    }
    return -1
  }

  #after(reached: readonly number[], accepting: ReadonlySet<number>): number[] {
    this.#turn += 1
    const next: number[] = []
    for (const at of reached) {
      const state = this.#program.states[at]!
      if (state.kind === 'set' && accepting.has(state.set)) this.#add(state.next, next)
    }
    return next
  }

  #spotOf(states: readonly number[], before: Side, found: number): Spot {
    const key = `${found}:${before}:${states.join()}`
    const existing = this.#spots.get(key)
    if (existing) return existing
    const spot: Spot = { states, before, found, moves: [] }
    this.#spots.set(key, spot)
    return spot
  }
}

function holds(edge: Edge, before: Side, after: Side): boolean {
  if (edge === 'start') return before === 'nothing'
  if (edge === 'end') return after === 'nothing'
  return ((before === 'word') !== (after === 'word')) === (edge === 'word')
}
