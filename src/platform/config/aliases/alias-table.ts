import type { Alias, Aliases } from './alias.ts'

/** An alias with its name, and whether the config file or the admin API made it. */
export type NamedAlias = { readonly name: string; readonly alias: Alias; readonly ownedBy: 'file' | 'api' }

/** An alias that a name stands for. `rest` is what the `*` of its own name stands for. */
export type FoundAlias = NamedAlias & { readonly rest: string | undefined }

type Pattern = NamedAlias & { readonly start: string; readonly end: string }

/** All aliases of an installation in memory. A change makes another table, so that a call sees one state of all of them. */
export class AliasTable {
  readonly #exact = new Map<string, FoundAlias>()
  /** The most specific one first: the one with the most characters besides the `*`. */
  readonly #patterns: readonly Pattern[]

  /** An alias of the file hides an alias of the same name in the store. */
  constructor(file: Aliases, stored: Aliases = {}) {
    const patterns = new Map<string, Pattern>()
    for (const [aliases, ownedBy] of [[stored, 'api'] as const, [file, 'file'] as const])
      for (const [name, alias] of Object.entries(aliases)) {
        const star = name.indexOf('*')
        if (star < 0) this.#exact.set(name, { name, alias, ownedBy, rest: undefined })
        else patterns.set(name, { name, alias, ownedBy, start: name.slice(0, star), end: name.slice(star + 1) })
      }
    this.#patterns = [...patterns.values()].sort((one, other) => {
      return other.name.length - one.name.length || (one.name < other.name ? -1 : 1)
    })
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#patterns.length === 0
  }

  find(name: string): FoundAlias | undefined {
    return this.#exact.get(name)
  }

  /** One comparison for each alias with a `*`. */
  match(name: string): FoundAlias | undefined {
    const pattern = this.#patterns.find(({ start, end }) => {
      return name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end)
    })
    return pattern && { ...pattern, rest: name.slice(pattern.start.length, name.length - pattern.end.length) }
  }

  /** All aliases, sorted by name. */
  list(): NamedAlias[] {
    const all: NamedAlias[] = [...this.#exact.values(), ...this.#patterns]
    return all.sort((one, other) => (one.name < other.name ? -1 : 1))
  }
}
