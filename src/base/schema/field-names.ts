import { type Loc, valueError } from './issue-messages.ts'
import { foldName } from './fold-name.ts'
import type { ValidationIssue } from './validation-issue.ts'

/**
 * Names that may be written in one way only. A provider with a case-insensitive JSON parser would read `Model` as `model`,
 * which the gateway has checked, priced or dropped. A name that ends in `*` is a prefix.
 */
export class FieldNames {
  readonly #exact: ReadonlySet<string>
  readonly #folded: ReadonlyMap<string, string>
  readonly #prefixes: readonly { written: string; folded: string }[]

  constructor(names: readonly string[]) {
    this.#exact = new Set(names)
    this.#folded = new Map(names.map((name) => [foldName(name), name]))
    const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
    this.#prefixes = prefixes.map((written) => ({ written, folded: foldName(written) }))
  }

  has(name: string): boolean {
    return this.#exact.has(name)
  }

  /**
   * Finds names that differ only in case from a known one, or from another one here. Nearly always every name is known exactly,
   * so that this one lookup is enough.
   */
  issues(fields: object, loc: Loc): ValidationIssue[] {
    const issues: ValidationIssue[] = []
    const unknown = new Spellings()
    for (const name in fields) {
      if (this.#exact.has(name)) continue
      const folded = foldName(name)
      const intended = this.#intendedBy(name, folded) ?? unknown.before(name, folded)
      if (intended !== undefined) issues.push(misspelled([...loc, name], intended))
    }
    return issues
  }

  /** A form parser may read `model[]` as `model`. */
  #intendedBy(name: string, foldedName: string): string | undefined {
    const bracket = name.indexOf('[')
    const folded = bracket > 0 ? foldName(name.slice(0, bracket)) : foldedName
    const prefix = this.#prefixes.find((one) => folded.startsWith(one.folded) && !name.startsWith(one.written))
    return this.#folded.get(folded) ?? (prefix && `${prefix.written}…`)
  }
}

/** The names of an object that have been seen. Most objects have one that is not known, for which no map is made. */
class Spellings {
  #first: { name: string; folded: string } | undefined
  #more: Map<string, string> | undefined

  /** Another spelling of the name that came before it. */
  before(name: string, folded: string): string | undefined {
    if (!this.#first) {
      this.#first = { name, folded }
      return undefined
    }
    this.#more ??= new Map([[this.#first.folded, this.#first.name]])
    const other = this.#more.get(folded)
    this.#more.set(folded, name)
    return other
  }
}

/** Names here that differ only in case from each other. */
export function twins(fields: object): ValidationIssue[] {
  return NO_NAMES.issues(fields, [])
}

const NO_NAMES = new FieldNames([])

function misspelled(loc: Loc, intended: string): ValidationIssue {
  return valueError(loc, `Write it as '${intended}': some providers would read this as the same field`)
}
