import type { Scanned, Scanner, Span } from './check.ts'
import { BothForms } from './local/both-forms.ts'
import { begunChar, isPlain, ShortUnseenRuns } from './local/plain-text.ts'

/** What is found by a check of a guardrail, and what follows. */
export type LocalStep = {
  action: 'flag' | 'redact' | 'block'
  /** A scanner for one text. */
  open(): Scanner
  /** What stands in the place of what was found. */
  placeholder(found: string, rule: string): string
  /** Is told every rule that found something. */
  found(rule: string): void
}

/** Takes a text in pieces, and returns what may pass of it: what is still undecided is held back. */
export class LocalPass<Step extends LocalStep = LocalStep> {
  /** The first step that blocks what it found. Nothing passes any more. */
  blockedBy: Step | undefined
  /** The first step that replaced something. */
  changedBy: Step | undefined
  readonly #open: { step: Step; scanner: BothForms; settled: number }[]
  readonly #holds: boolean
  readonly #runs = new ShortUnseenRuns()
  /** The first half of a character, which waits for the other one. */
  #begun = ''
  #held = ''
  #heldAt = 0
  /** What has to be replaced in what is held, in order. */
  #replaced: Replaced<Step>[] = []
  /** Where the latest replacement ended, and its step. */
  #last: { to: number; step: Step } | undefined

  constructor(steps: readonly Step[]) {
    this.#open = steps.map((step) => ({ step, scanner: new BothForms(step.open), settled: 0 }))
    this.#holds = steps.some(({ action }) => action !== 'flag')
  }

  push(text: string): string {
    const all = this.#begun + text
    const plain = isPlain(all)
    this.#begun = plain ? '' : begunChar(all)
    return this.#push(all.slice(0, all.length - this.#begun.length), plain)
  }

  end(): string {
    return this.#push(this.#begun, true) + this.#scan('', (scanner) => scanner.end())
  }

  #push(text: string, plain: boolean): string {
    if (text === '') return ''
    const short = this.#holds ? this.#runs.take(text, plain) : text
    return this.#scan(short, (scanner) => scanner.push(short, plain))
  }

  #scan(text: string, read: (scanner: BothForms) => Scanned): string {
    if (this.blockedBy) return ''
    this.#held += text
    for (const open of this.#open) this.#take(open.step, this.#noteSettled(open, read(open.scanner)))
    if (this.blockedBy) return ''
    return this.#release(this.#holds ? this.#settled() : this.#heldAt + this.#held.length)
  }

  #noteSettled(open: { settled: number }, { settled, spans }: Scanned): readonly Span[] {
    open.settled = settled
    return spans
  }

  #take(step: Step, spans: readonly Span[]): void {
    for (const span of spans) {
      if (!span.continues) step.found(span.rule)
      if (step.action === 'block') this.blockedBy ??= step
      if (step.action === 'redact') this.#add({ step, ...span })
    }
  }

  #settled(): number {
    return this.#open.reduce(
      (least, { step, settled }) => (step.action === 'flag' ? least : Math.min(least, settled)),
      this.#heldAt + this.#held.length,
    )
  }

  /** Finds that overlap are replaced together. */
  #add(added: Replaced<Step>): void {
    let joined = added
    const apart = this.#replaced.filter((one) => {
      if (one.to <= joined.from || one.from >= joined.to) return true
      const first = one.from <= joined.from ? one : joined
      joined = { ...first, to: Math.max(one.to, joined.to) }
      return false
    })
    this.#replaced = [...apart, joined].sort((one, other) => one.from - other.from)
  }

  /** A replacement that reaches into what is undecided waits. */
  #release(settled: number): string {
    const waiting = this.#replaced.find(({ to }) => to > settled)
    const until = Math.min(settled, waiting?.from ?? settled)
    let passed = ''
    let at = this.#heldAt
    for (const one of this.#replaced) {
      if (one.to > until) break
      passed += this.#text(at, one.from) + this.#replacement(one)
      at = one.to
    }
    passed += this.#text(at, until)
    this.#replaced = this.#replaced.filter(({ to }) => to > until)
    this.#held = this.#held.slice(until - this.#heldAt)
    this.#heldAt = until
    return passed
  }

  #replacement(one: Replaced<Step>): string {
    this.changedBy ??= one.step
    const goesOn = one.continues && this.#last?.to === one.from && this.#last.step === one.step
    this.#last = { to: one.to, step: one.step }
    return goesOn ? '' : one.step.placeholder(this.#text(one.from, one.to), one.rule)
  }

  #text(from: number, to: number): string {
    return this.#held.slice(from - this.#heldAt, to - this.#heldAt)
  }
}

type Replaced<Step> = Span & { step: Step }
