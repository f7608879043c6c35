import { compilePatterns } from '../../hooks/patterns/compile-patterns.ts'
import type { Node } from '../../hooks/patterns/parse-pattern.ts'
import { PatternMachine, type Spot } from '../../hooks/patterns/pattern-machine.ts'
import { CHARS_PER_STEP, type StepBudget } from '../../hooks/step-budget.ts'
import type { Scanned, Scanner, Span } from '../check.ts'

/** No match is longer, and so no more of a text is ever held back: an open-ended pattern (`a.*b`) may begin anywhere and end nowhere. */
const MAX_MATCH_CHARS = 2_000

/**
 * Finds where words and patterns match. One automaton reads the text once and knows where matches end; a second one, of the reversed
 * patterns, reads back from there to where the longest of them begins. Both are shared by all texts, and remember what they have
 * computed.
 */
export class PatternScanners {
  readonly #payer = new CurrentPayer()
  readonly #forward: PatternMachine
  readonly #backward: PatternMachine
  readonly #nameOf: (pattern: number) => string

  constructor(nodes: readonly Node[], ignoreCase: boolean, nameOf: (pattern: number) => string) {
    this.#nameOf = nameOf
    this.#forward = new PatternMachine(compilePatterns(nodes), ignoreCase, this.#payer)
    this.#backward = new PatternMachine(compilePatterns(nodes.map(reversed)), ignoreCase, this.#payer, true)
  }

  open(budget: StepBudget): Scanner {
    const machines = { forward: this.#forward, backward: this.#backward, nameOf: this.#nameOf }
    return new PatternScanner(machines, (steps) => {
      this.#payer.budget = budget
      budget.spend(steps)
    })
  }
}

/** The automata outlive the text whose search computes a part of them. */
class CurrentPayer {
  budget: StepBudget | undefined

  spend(steps: number): void {
    this.budget?.spend(steps)
  }
}

type Machines = { forward: PatternMachine; backward: PatternMachine; nameOf(pattern: number): string }

class PatternScanner implements Scanner {
  readonly #machines: Machines
  readonly #pay: (steps: number) => void
  #spot: Spot
  /** What may still be part of a match, with one character before it. */
  #text = ''
  #textAt = 0
  /** Where the next character stands in the whole text. */
  #at = 0
  /** No match that is not known yet begins before. */
  #quiet = 0
  #spans: Span[] = []

  constructor(machines: Machines, pay: (steps: number) => void) {
    this.#machines = machines
    this.#pay = pay
    this.#spot = machines.forward.start
  }

  push(text: string): Scanned {
    this.#pay(1 + text.length / CHARS_PER_STEP)
    this.#text += text
    const { forward } = this.#machines
    let spot = this.#spot
    for (let index = 0; index < text.length; index++) {
      spot = forward.next(spot, text.charCodeAt(index))
      if (spot.found >= 0) this.#found(spot.found)
      this.#at += 1
      if (spot.states.length === 0) this.#quiet = this.#at
    }
    this.#spot = spot
    return this.#settled(Math.max(this.#quiet, this.#at - MAX_MATCH_CHARS))
  }

  end(): Scanned {
    this.#pay(1)
    const found = this.#machines.forward.endingHere(this.#spot)
    if (found >= 0) this.#found(found)
    return this.#settled(this.#at)
  }

  /** A match ends before the character that is being read. Matches that touch are one finding. */
  #found(pattern: number): void {
    const span = { from: this.#beginning(), to: this.#at, rule: this.#machines.nameOf(pattern) }
    let last = this.#spans.at(-1)
    while (last && last.to >= span.from) {
      span.from = Math.min(span.from, last.from)
      span.rule = last.rule
      this.#spans.pop()
      last = this.#spans.at(-1)
    }
    this.#spans.push(span)
  }

  /** Where the longest match begins that ends here. */
  #beginning(): number {
    const { backward } = this.#machines
    const limit = Math.max(this.#quiet, this.#at - MAX_MATCH_CHARS)
    const last = this.#spans.at(-1)
    if (last && last.from <= limit && last.to >= limit) return limit
    this.#pay(1 + (this.#at - limit) / CHARS_PER_STEP)
    let spot = backward.startAfter(this.#unitAt(this.#at))
    let beginning = limit
    for (let at = this.#at - 1; at >= limit; at--) {
      spot = backward.next(spot, this.#unitAt(at)!)
      if (spot.found >= 0) beginning = at + 1
      if (spot.states.length === 0) return beginning
    }
    const before = this.#unitAt(limit - 1)
    const reaches = before === undefined ? backward.endingHere(spot) : backward.next(spot, before).found
    return reaches >= 0 ? limit : beginning
  }

  #unitAt(at: number): number | undefined {
    const index = at - this.#textAt
    return index >= 0 && index < this.#text.length ? this.#text.charCodeAt(index) : undefined
  }

  /** What begins before and ends later is cut: only a text that is held back for too long does that. */
  #settled(settled: number): Scanned {
    const spans: Span[] = []
    const rest: Span[] = []
    for (const span of this.#spans) {
      if (span.to <= settled) spans.push(span)
      else if (span.from >= settled || settled === this.#quiet) rest.push(span)
      else {
        spans.push({ ...span, to: settled })
        rest.push({ ...span, from: settled, continues: true })
      }
    }
    this.#spans = rest
    const kept = Math.max(settled - 1, this.#textAt)
    this.#text = this.#text.slice(kept - this.#textAt)
    this.#textAt = kept
    return { settled, spans }
  }
}

function reversed(node: Node): Node {
  switch (node.kind) {
    case 'sequence':
      return { kind: 'sequence', nodes: node.nodes.map(reversed).reverse() }
    case 'choice':
      return { kind: 'choice', nodes: node.nodes.map(reversed) }
    case 'repeat':
      return { ...node, node: reversed(node.node) }
    case 'edge':
      return { kind: 'edge', edge: OTHER_EDGES[node.edge] }
    default:
      return node
  }
}

const OTHER_EDGES = { start: 'end', end: 'start', word: 'word', 'no word': 'no word' } as const
