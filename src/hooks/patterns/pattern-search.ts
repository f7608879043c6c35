import { problem } from '../../contract/problems.ts'
import { accepts, isWord } from './char-set.ts'
import type { Program } from './compile-patterns.ts'
import type { Edge } from './parse-pattern.ts'

/** Steps of the automaton, about half a second of work: a text that needs more is refused. Ordinary ones need hardly any. */
const MAX_STEPS = 10_000_000
/** Patterns can have more spots than memory should hold. */
const MAX_KNOWN_STATES = 200_000

/** What stands on either side of a place in the text. */
type Side = 'nothing' | 'word' | 'other'

/** Characters that no set of the program tells apart. */
type Class = { id: number; members: readonly boolean[]; side: Side }

/** A set of states that the search can be in: found out once, then walked along. */
type Spot = { states: readonly number[]; before: Side; found: number; moves: (Spot | undefined)[] }

/**
 * Looks for any of the patterns in a text that may come in pieces. Every character is looked at once: what a pattern
 * could do to a backtracking matcher, it cannot do here.
 */
export class PatternSearch {
  readonly #program: Program
  readonly #ignoreCase: boolean
  readonly #classIds = new Uint16Array(0x10000)
  readonly #classes: Class[] = []
  readonly #classesByKey = new Map<string, Class>()
  readonly #spots = new Map<string, Spot>()
  /** In which turn a state was last reached: cheaper than a set of those of this turn. */
  readonly #reached: Uint32Array
  #turn = 0
  #known = 0
  #steps = 0
  #spot: Spot

  constructor(program: Program, ignoreCase: boolean) {
    this.#program = program
    this.#ignoreCase = ignoreCase
    this.#reached = new Uint32Array(program.states.length)
    this.#spot = this.#spotOf([], 'nothing', -1)
  }

  /** Which pattern has been found, or -1. Known at the latest one character after it, or at the end. */
  next(unit: number): number {
    if (this.#spot.found >= 0) return this.#spot.found
    const kind = this.#classOf(unit)
    this.#spot = this.#spot.moves[kind.id] ?? this.#move(kind)
    return this.#spot.found
  }

  end(): number {
    const { states, before, found } = this.#spot
    return found >= 0 ? found : this.#foundIn(this.#reach(states, before, 'nothing'))
  }

  /** Another text, with all that has been found out about the patterns. */
  restart(): void {
    this.#spot = this.#spotOf([], 'nothing', -1)
  }

  /** Whether nothing that has passed can be the beginning of a match. */
  get isQuiet(): boolean {
    return this.#spot.states.length === 0
  }

  #move({ id, side, members }: Class): Spot {
    const from = this.#spot
    const reached = this.#reach(from.states, from.before, side)
    const found = this.#foundIn(reached)
    const states = this.#after(reached, members)
    // What comes back so seldom is not worth remembering.
    this.#known += states.length + 1
    if (this.#known > MAX_KNOWN_STATES) return { states, before: side, found, moves: [] }
    from.moves[id] = this.#spotOf(states, side, found)
    return from.moves[id]
  }

  /** All states that are reached without a character, given what stands on both sides. */
  #reach(states: readonly number[], before: Side, after: Side): number[] {
    this.#turn += 1
    const list: number[] = []
    for (const at of states) this.#add(at, list)
    for (const at of this.#program.starts) this.#add(at, list)
    for (let index = 0; index < list.length; index++) {
      const state = this.#program.states[list[index]!]!
      if (state.kind === 'split') for (const next of state.next) this.#add(next, list)
      else if (state.kind === 'edge' && holds(state.edge, before, after)) this.#add(state.next, list)
    }
    this.#steps += list.length
    if (this.#steps > MAX_STEPS) throw tooMuch()
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

  #after(reached: readonly number[], members: readonly boolean[]): number[] {
    this.#turn += 1
    const next: number[] = []
    for (const at of reached) {
      const state = this.#program.states[at]!
      if (state.kind === 'set' && members[state.set]) this.#add(state.next, next)
    }
    return next
  }

  #spotOf(states: readonly number[], before: Side, found: number): Spot {
    const key = `${found}:${before}:${states.join()}`
    const known = this.#spots.get(key)
    if (known) return known
    const spot: Spot = { states, before, found, moves: [] }
    this.#spots.set(key, spot)
    return spot
  }

  #classOf(unit: number): Class {
    const id = this.#classIds[unit]!
    if (id > 0) return this.#classes[id - 1]!
    const members = this.#program.sets.map((set) => accepts(set, unit, this.#ignoreCase))
    const side: Side = isWord(unit) ? 'word' : 'other'
    const key = `${side}:${members.map(Number).join('')}`
    const found = this.#classesByKey.get(key) ?? this.#addClass(key, members, side)
    this.#classIds[unit] = found.id
    return found
  }

  #addClass(key: string, members: readonly boolean[], side: Side): Class {
    const added = { id: this.#classes.length + 1, members, side }
    this.#classes.push(added)
    this.#classesByKey.set(key, added)
    return added
  }
}

function holds(edge: Edge, before: Side, after: Side): boolean {
  if (edge === 'start') return before === 'nothing'
  if (edge === 'end') return after === 'nothing'
  return ((before === 'word') !== (after === 'word')) === (edge === 'word')
}

function tooMuch() {
  return problem('too_large', { message: 'The patterns take too long on a text of this size. Simplify them.' })
}
