import { CHARS_PER_STEP, type StepBudget } from '../../hooks/step-budget.ts'
import type { Scanned, Scanner, Span } from '../check.ts'
import {
  ASSIGNED,
  ASSIGNS,
  entropyOf,
  KEY_BEGIN,
  KEY_END,
  MIN_ASSIGNED_ENTROPY,
  MIN_TOKEN_CHARS,
  TELLING,
  TOKEN_FORMATS,
} from './token-formats.ts'

/** How much of a run of characters without blanks is searched at once, and from where on the next search begins. */
const WINDOW_CHARS = 1_024
const STRIDE_CHARS = 512
/** What stands before a run may say that it is a secret, or that a private key begins. */
const CONTEXT_CHARS = 64
/** A private key that does not end is none from here on. */
const MAX_KEY_CHARS = 16_384
const STEPS_PER_CHAR = 2
/** Nothing that is assigned has fewer characters. */
const MIN_RUN_CHARS = 8
const BLANK = /\s/
/** What a run has in which a private key begins, or an address with a password. Everything else that is looked for in a run alone is longer. */
const SHORT_MARKS = ['-----', '://']

/**
 * Reads a text run by run: no token has blanks, so the last run is held back until it ends. A private key is reported line by line
 * from the line on that follows its beginning.
 */
export class SecretScanner implements Scanner {
  readonly #assignments: boolean
  readonly #budget: StepBudget
  /** The text before the run, and the part of the run that was read. */
  #context = ''
  #run = ''
  #runAt = 0
  /** How long the private key is that has begun; negative outside of one. */
  #keyChars = -1
  #spans: Span[] = []

  constructor(assignments: boolean, budget: StepBudget) {
    this.#assignments = assignments
    this.#budget = budget
  }

  push(text: string): Scanned {
    this.#budget.spend(1 + text.length / CHARS_PER_STEP)
    let from = 0
    while (from < text.length) {
      const quick = this.#quickly(text, from)
      from += quick
      if (quick > 0) continue
      const room = WINDOW_CHARS - this.#run.length
      const blank = text.slice(from, from + room).search(BLANK)
      if (blank < 0) {
        this.#run += text.slice(from, from + room)
        from += room
        if (this.#run.length === WINDOW_CHARS) this.#endWindow()
        continue
      }
      this.#run += text.slice(from, from + blank)
      from += blank
      if (this.#run !== '') this.#endRun()
      const blanks = blanksAt(text, from)
      this.#skip(text.slice(from, from + blanks))
      from += blanks
    }
    return this.#settled(this.#runAt)
  }

  end(): Scanned {
    if (this.#run !== '') this.#endRun()
    return this.#settled(this.#runAt)
  }

  /** Skips whole runs that cannot have a secret: most of a text. Returns how many characters they have. */
  #quickly(text: string, from: number): number {
    if (this.#run !== '' || this.#keyChars >= 0) return 0
    if (this.#assignments && ASSIGNS.test(this.#context)) return 0
    const window = text.slice(from, from + WINDOW_CHARS)
    let runs = wholeRuns(window, firstSuspect(window))
    if (this.#assignments) runs = wholeRuns(runs, this.#firstAssigning(runs))
    this.#skip(runs)
    return runs.length
  }

  /** Where a text begins that says that a secret follows; 0 if it begins before these runs. */
  #firstAssigning(runs: string): number {
    if (!runs.includes(':') && !runs.includes('=')) return runs.length
    const at = (this.#context + runs).search(ASSIGNS)
    return at < 0 ? runs.length : Math.max(0, at - this.#context.length)
  }

  /** A run that does not end: the next window begins inside of this one, so that nothing hides in the cut. */
  #endWindow(): void {
    this.#search()
    this.#moveTo(STRIDE_CHARS)
  }

  #endRun(): void {
    this.#search()
    this.#moveTo(this.#run.length)
  }

  #moveTo(chars: number): void {
    this.#context = (this.#context + this.#run.slice(0, chars)).slice(-CONTEXT_CHARS)
    this.#runAt += chars
    this.#run = this.#run.slice(chars)
  }

  #skip(blanks: string): void {
    if (this.#keyChars >= 0) this.#add(this.#runAt, this.#runAt + blanks.length, 'private_key')
    this.#context = (this.#context + blanks).slice(-CONTEXT_CHARS)
    this.#runAt += blanks.length
  }

  #search(): void {
    const run = this.#run
    if (this.#keyChars >= 0 || run.includes('-----')) this.#searchKey()
    if (run.length < MIN_RUN_CHARS) return
    this.#budget.spend(run.length * STEPS_PER_CHAR)
    if (TELLING.test(run)) this.#searchTokens()
    if (this.#assignments && ASSIGNS.test(this.#context + run)) this.#searchAssigned()
  }

  #searchTokens(): void {
    for (const { rule, pattern, minEntropy } of TOKEN_FORMATS) {
      for (const { index, 0: token } of this.#run.matchAll(pattern))
        if (!minEntropy || entropyOf(token) >= minEntropy)
          this.#add(this.#runAt + index, this.#runAt + index + token.length, rule)
    }
  }

  #searchAssigned(): void {
    const begin = this.#runAt - this.#context.length
    for (const { index, 0: all, 1: value } of (this.#context + this.#run).matchAll(ASSIGNED)) {
      const to = begin + index + all.length
      const from = Math.max(to - value!.length, this.#runAt)
      if (to <= this.#runAt || !isRandom(value!)) continue
      this.#add(from, to, 'assigned')
    }
  }

  #searchKey(): void {
    let at = 0
    if (this.#keyChars < 0) {
      const begun = KEY_BEGIN.exec(this.#context + this.#run)
      if (!begun) return
      at = Math.max(0, begun.index + begun[0].length - this.#context.length)
      this.#keyChars = 0
    }
    const end = this.#run.indexOf(KEY_END, at)
    const to = end < 0 ? this.#run.length : end
    this.#add(this.#runAt + at, this.#runAt + to, 'private_key')
    this.#keyChars += to - at
    if (end >= 0 || this.#keyChars > MAX_KEY_CHARS) this.#keyChars = -1
  }

  /** Several formats may find the same, and windows overlap: finds that touch are one. */
  #add(from: number, to: number, rule: string): void {
    if (from >= to) return
    let span: Span = { from, to, rule }
    this.#spans = this.#spans.filter((other) => {
      if (other.to < span.from || other.from > span.to) return true
      span = { from: Math.min(span.from, other.from), to: Math.max(span.to, other.to), rule: other.rule }
      return false
    })
    this.#spans.push(span)
  }

  #settled(settled: number): Scanned {
    const inKey = this.#keyChars >= 0
    const spans: Span[] = []
    const rest: Span[] = []
    for (const span of this.#spans) (span.to < settled || (span.to === settled && !inKey) ? spans : rest).push(span)
    this.#spans = rest
    return { settled: inKey && rest[0] ? Math.min(settled, rest[0].from) : settled, spans }
  }
}

/** Where a run begins that may have a secret, or the end of the window. */
function firstSuspect(window: string): number {
  const marks = SHORT_MARKS.map((mark) => window.indexOf(mark)).filter((at) => at >= 0)
  return firstLongRun(window, Math.min(window.length, ...marks))
}

/** Where a run begins that is long enough for a token, or `end`. */
function firstLongRun(window: string, end: number): number {
  let begin = 0
  for (let at = 0; at < end; at++) {
    if (isBlank(window.charCodeAt(at))) begin = at + 1
    else if (at - begin >= MIN_TOKEN_CHARS - 1) return begin
  }
  return end
}

/** The runs before this place, each with the blanks behind it. */
function wholeRuns(text: string, end: number): string {
  let at = end
  while (at > 0 && !isBlank(text.charCodeAt(at - 1))) at--
  return text.slice(0, at)
}

function blanksAt(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
  return at - from
}

/** What `\s` matches. */
function isBlank(unit: number): boolean {
  if (unit <= 0x7f) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return BLANK.test(String.fromCharCode(unit))
}

/** Words of a language and names of variables are no secrets. */
function isRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) >= MIN_ASSIGNED_ENTROPY
}
