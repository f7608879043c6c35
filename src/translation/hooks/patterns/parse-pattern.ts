import { ANY, type CharSet, ofTrait, single, type Trait } from './char-set.ts'

export type Node =
  | { kind: 'set'; set: CharSet }
  | { kind: 'sequence' | 'choice'; nodes: Node[] }
  | { kind: 'repeat'; node: Node; min: number; max: number }
  | { kind: 'edge'; edge: Edge }

export type Edge = 'start' | 'end' | 'word' | 'no word'

/** A pattern outside the supported subset. The message is for its author. */
export class PatternError extends Error {}

export const SUBSET =
  'A subset of regular expressions that is matched in linear time: characters, `.`, classes such as `[a-z]` and `[^,]`, ' +
  '`\\d \\w \\s` and their opposites, `\\b`, `^` and `$` (start and end of the text), groups, `|`, and the repeats ' +
  '`* + ? {2} {2,} {2,5}`. No backreferences, no looking ahead or behind, no named groups.'

const MAX_REPEATS = 1_000
const ESCAPED_TRAITS: Record<string, Trait> = { d: 'digit', s: 'space', w: 'word' }
const ESCAPED_CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 }
const REPEATS: Record<string, [number, number]> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
}
const COUNTED = /\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/y

export function parsePattern(pattern: string): Node {
  return new Parser(pattern).whole()
}

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): Node {
    const node = this.#choice()
    if (this.#at < this.#text.length) throw this.#error('a group is closed that was not opened')
    return node
  }

  #choice(): Node {
    const nodes = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    return nodes.length === 1 ? nodes[0]! : { kind: 'choice', nodes }
  }

  #sequence(): Node {
    const nodes: Node[] = []
    while (this.#at < this.#text.length && !this.#sees('|') && !this.#sees(')')) nodes.push(this.#repeated())
    return { kind: 'sequence', nodes }
  }

  #repeated(): Node {
    const node = this.#atom()
    const counts = this.#repeats()
    if (!counts) return node
    // Lazy and greedy repeats are the same here, because it does not matter which of several matches is found.
    this.#take('?')
    if (node.kind === 'edge' || this.#repeats()) throw this.#error('there is nothing to repeat')
    return { kind: 'repeat', node, min: counts[0], max: counts[1] }
  }

  #repeats(): [number, number] | undefined {
    const simple = REPEATS[this.#text[this.#at] ?? '']
    if (simple) {
      this.#at += 1
      return simple
    }
    COUNTED.lastIndex = this.#at
    const counted = COUNTED.exec(this.#text)
    if (!counted) return undefined
    this.#at = COUNTED.lastIndex
    return this.#bounds(counted)
  }

  #bounds([, least, comma, limit]: RegExpExecArray): [number, number] {
    const min = Number(least)
    const max = comma ? (limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)) : min
    if (min > max) throw this.#error('the numbers of a repeat are in the wrong order')
    if (min > MAX_REPEATS || (max > MAX_REPEATS && Number.isFinite(max)))
      throw this.#error(`a repeat may count to ${MAX_REPEATS}`)
    return [min, max]
  }

  #atom(): Node {
    const character = this.#next()
    if (character === '(') return this.#group()
    if (character === '[') return { kind: 'set', set: this.#class() }
    if (character === '.') return { kind: 'set', set: ANY }
    if (character === '^') return { kind: 'edge', edge: 'start' }
    if (character === '$') return { kind: 'edge', edge: 'end' }
    if (character === '\\') return this.#escaped()
    if (character in REPEATS) throw this.#error('there is nothing to repeat')
    return literal(character)
  }

  #group(): Node {
    if (this.#take('?') && !this.#take(':'))
      throw this.#error('groups that start with (? are not supported, except (?:')
    const node = this.#choice()
    if (!this.#take(')')) throw this.#error('a group is not closed')
    return node
  }

  #escaped(): Node {
    if (this.#take('b')) return { kind: 'edge', edge: 'word' }
    if (this.#take('B')) return { kind: 'edge', edge: 'no word' }
    const escaped = this.#escape()
    return { kind: 'set', set: typeof escaped === 'number' ? single(escaped) : escaped }
  }

  #escape(): CharSet | number {
    const character = this.#next()
    const trait = ESCAPED_TRAITS[character.toLowerCase()]
    if (trait) return ofTrait(trait, character !== character.toLowerCase())
    if (character === 'u') return this.#hexadecimal(4)
    if (character === 'x') return this.#hexadecimal(2)
    const control = ESCAPED_CONTROLS[character]
    if (control !== undefined) return control
    if (/[\p{L}\p{N}]/u.test(character)) throw this.#error(`\\${character} is not supported`)
    if (character.length > 1) throw this.#error('this character cannot be escaped')
    return character.charCodeAt(0)
  }

  #hexadecimal(digits: number): number {
    const text = this.#text.slice(this.#at, this.#at + digits)
    if (text.length < digits || !/^[\da-f]+$/i.test(text)) throw this.#error(`${digits} hexadecimal digits are missing`)
    this.#at += digits
    return Number.parseInt(text, 16)
  }

  #class(): CharSet {
    const negated = this.#take('^')
    const ranges: [number, number][] = []
    const traits: CharSet['traits'][number][] = []
    do {
      const from = this.#member()
      if (typeof from !== 'number') traits.push(...from.traits)
      else ranges.push([from, this.#rangeEnd(from)])
    } while (!this.#take(']'))
    return { ranges, traits, negated }
  }

  #rangeEnd(from: number): number {
    if (!this.#sees('-') || this.#text[this.#at + 1] === ']') return from
    this.#at += 1
    const to = this.#member()
    if (typeof to !== 'number' || to < from) throw this.#error('this is not a range')
    return to
  }

  #member(): CharSet | number {
    const character = this.#next()
    if (character.length > 1) throw this.#error('a class cannot contain a character beyond U+FFFF: use (?:a|b)')
    return character === '\\' ? this.#escape() : character.charCodeAt(0)
  }

  #next(): string {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) throw this.#error('it ends too early')
    const character = String.fromCodePoint(code)
    this.#at += character.length
    return character
  }

  #take(character: string): boolean {
    if (!this.#sees(character)) return false
    this.#at += 1
    return true
  }

  #sees(character: string): boolean {
    return this.#text[this.#at] === character
  }

  #error(reason: string): PatternError {
    return new PatternError(`This pattern cannot be used: ${reason} (position ${this.#at})`)
  }
}

/** Matches exactly these characters. A repeat after a surrogate pair repeats the pair. */
export function literal(text: string): Node {
  const nodes = Array.from(
    { length: text.length },
    (_, at): Node => ({ kind: 'set', set: single(text.charCodeAt(at)) }),
  )
  return nodes.length === 1 ? nodes[0]! : { kind: 'sequence', nodes }
}
