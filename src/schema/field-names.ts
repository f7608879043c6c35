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
    let unknown: Map<string, string> | undefined
    for (const name in fields) {
      if (this.#exact.has(name)) continue
      unknown ??= new Map()
      const intended = this.#intendedBy(name) ?? unknown.get(foldName(name))
      unknown.set(foldName(name), name)
      if (intended !== undefined)
        issues.push(
          valueError([...loc, name], `Write it as '${intended}': some providers would read this as the same field`),
        )
    }
    return issues
  }

  /** A form parser may read `model[]` as `model`. */
  #intendedBy(name: string): string | undefined {
    const bracket = name.indexOf('[')
    const base = bracket > 0 ? name.slice(0, bracket) : name
    const folded = foldName(base)
    const prefix = this.#prefixes.find((one) => folded.startsWith(one.folded) && !name.startsWith(one.written))
    return this.#folded.get(folded) ?? (prefix && `${prefix.written}…`)
  }
}

/** Names here that differ only in case from each other. */
export function twins(fields: object): ValidationIssue[] {
  return new FieldNames([]).issues(fields, [])
}
