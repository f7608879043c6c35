import type { Scanned, Scanner, Span } from '../check.ts'
import { PlainForm } from './plain-text.ts'

/** What scanners may look at before the place from which on something can be found. */
const CONTEXT_CHARS = 64

/**
 * Searches a text as it is and, from the first character on that people do not see or that has a plain form, also its plain form:
 * `fal<soft hyphen>con` is found, and so is `a<blank without a width>falcon`. Other texts pay nothing for it.
 */
export class BothForms {
  readonly #open: () => Scanner
  readonly #asItIs: Scanner
  #plain: PlainScanner | undefined
  /** What is undecided of the text as long as it is plain, and a little before it. */
  #tail = ''
  #at = 0
  #settled = 0
  /** Where finds end, by where they begin and their rules, as far as the other form may still have them, too. */
  readonly #found = new Map<string, number>()

  constructor(open: () => Scanner) {
    this.#open = open
    this.#asItIs = open()
  }

  /** `isPlain`: the text is its plain form, whatever follows it. */
  push(text: string, isPlain: boolean): Scanned {
    if (!this.#plain && !isPlain) this.#plain = new PlainScanner(this.#open(), this.#at, this.#tail, this.#settled)
    const scanned = this.#asItIs.push(text)
    if (this.#plain) return this.#both(scanned, this.#plain.push(text))
    this.#at += text.length
    this.#settled = scanned.settled
    this.#tail = (this.#tail + text).slice(scanned.settled - this.#at - CONTEXT_CHARS)
    return scanned
  }

  end(): Scanned {
    const scanned = this.#asItIs.end()
    return this.#plain ? this.#both(scanned, this.#plain.end()) : scanned
  }

  /** What both have found counts once. */
  #both(one: Scanned, other: Scanned): Scanned {
    const settled = Math.min(one.settled, other.settled)
    const spans = [...one.spans, ...other.spans].filter(({ from, to, rule }) => {
      const find = `${from} ${rule}`
      const isKnown = this.#found.get(find) === to
      this.#found.set(find, to)
      return !isKnown
    })
    for (const [find, to] of this.#found) if (to <= settled) this.#found.delete(find)
    return { settled, spans }
  }
}

/** Finds what has other characters in it, or beside it. */
class PlainScanner {
  readonly #scanner: Scanner
  readonly #form: PlainForm
  /** What ends before was found as it is. */
  readonly #from: number

  /** `tail`: the end of the text so far, which is plain; nothing that is not decided begins before `settled`. */
  constructor(scanner: Scanner, at: number, tail: string, settled: number) {
    this.#scanner = scanner
    this.#form = new PlainForm(at - tail.length)
    this.#from = settled
    scanner.push(this.#form.add(tail))
  }

  push(text: string): Scanned {
    return this.#inText(this.#scanner.push(this.#form.add(text)))
  }

  end(): Scanned {
    return this.#inText(this.#scanner.end())
  }

  #inText({ settled, spans }: Scanned): Scanned {
    const others = spans.filter(({ from, to }) => this.#form.differs(from, to))
    const found = others.map((span): Span => {
      const from = Math.max(this.#form.beginOf(span.from), this.#from)
      return { ...span, from, to: this.#form.endOf(span.to) }
    })
    const until = Math.max(this.#form.beginOf(settled), this.#from)
    this.#form.forget(settled)
    return { settled: until, spans: found }
  }
}
