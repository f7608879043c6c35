import { type CharSet, onlyUnit } from './char-set.ts'
import { type Edge, type Node, PatternError } from './parse-pattern.ts'

type State =
  | { kind: 'set'; set: number; next: number }
  | { kind: 'edge'; edge: Edge; next: number }
  | { kind: 'split'; next: number[] }
  | { kind: 'match'; pattern: number }

/** Patterns as one automaton, which is simulated without backtracking. */
export type Program = { sets: CharSet[]; states: State[]; starts: number[] }

/** The cost of parsing and compiling one part of a pattern. */
export const STEPS_PER_PART = 10

/** Check the patterns with `refuseTooLarge` first. */
export function compilePatterns(patterns: readonly Node[]): Program {
  const builder = new Builder()
  const starts = patterns.map((node, pattern) => builder.build(node, builder.add({ kind: 'match', pattern })))
  return { sets: builder.sets, states: builder.states, starts }
}

/** Nested repeats can describe more states than memory holds, so the number is calculated before any state is built. */
export function refuseTooLarge(patterns: readonly Node[], maxStates: number): void {
  const parts = patterns.reduce((sum, node) => sum + partsOf(node), 0)
  if (parts > maxStates * 2) throw new PatternError('These patterns are too large: repeat less')
}

/** The approximate number of states of a pattern, including auxiliary ones. */
export function partsOf(node: Node): number {
  if (node.kind === 'set' || node.kind === 'edge') return 1
  if (node.kind !== 'repeat') return node.nodes.reduce((sum, one) => sum + partsOf(one), 1)
  const copies = Number.isFinite(node.max) ? node.max : node.min + 1
  return Math.min(1 + copies * partsOf(node.node), MAX_PARTS)
}

/** A cap that no pattern may reach. Larger numbers would lose precision or overflow. */
const MAX_PARTS = 1e12

/** Whether the pattern matches the empty string. Such a pattern would match every text. */
export function matchesNothing(node: Node): boolean {
  if (node.kind === 'set') return false
  if (node.kind === 'edge') return true
  if (node.kind === 'repeat') return node.min === 0 || matchesNothing(node.node)
  return node.kind === 'sequence' ? node.nodes.every(matchesNothing) : node.nodes.some(matchesNothing)
}

class Builder {
  readonly sets: CharSet[] = []
  readonly states: State[] = []
  readonly #setIds = new Map<string | number, number>()
  add(state: State): number {
    return this.states.push(state) - 1
  }

  /** The first state of `node`, if `next` follows it. */
  build(node: Node, next: number): number {
    if (node.kind === 'set') return this.add({ kind: 'set', set: this.#idOf(node.set), next })
    if (node.kind === 'edge') return this.add({ kind: 'edge', edge: node.edge, next })
    if (node.kind === 'repeat') return this.#repeat(node.node, node.min, node.max, next)
    if (node.kind === 'choice') return this.add({ kind: 'split', next: node.nodes.map((one) => this.build(one, next)) })
    return node.nodes.reduceRight((following, one) => this.build(one, following), next)
  }

  #repeat(node: Node, min: number, max: number, next: number): number {
    let entry = Number.isFinite(max) ? this.#upTo(node, max - min, next) : this.#anyNumber(node, next)
    for (let copy = 0; copy < min; copy++) entry = this.build(node, entry)
    return entry
  }

  #upTo(node: Node, max: number, next: number): number {
    let entry = next
    for (let copy = 0; copy < max; copy++) entry = this.add({ kind: 'split', next: [this.build(node, entry), next] })
    return entry
  }

  #anyNumber(node: Node, next: number): number {
    const loop: State = { kind: 'split', next: [next] }
    const entry = this.add(loop)
    loop.next.push(this.build(node, entry))
    return entry
  }

  #idOf(set: CharSet): number {
    const key = onlyUnit(set) ?? JSON.stringify(set)
    const existing = this.#setIds.get(key)
    if (existing !== undefined) return existing
    this.#setIds.set(key, this.sets.length)
    return this.sets.push(set) - 1
  }
}
