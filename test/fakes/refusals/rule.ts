// What a provider refuses. Each rule names the public place that says so. Shares no code with the dialects that it checks.

export type Fields = Record<string, unknown>

/** What a rule has to know about the maker that reads a request. */
export type Reader = {
  /** What the maker signed: no other signature is accepted back. */
  signature: string
  /** Google's models with levels of thinking check the signatures of calls. */
  byLevel?: boolean
  /** Newer models of Anthropic sign what came before a block, too. */
  isBound?: boolean
  /** Models of Mistral accept only short ids, wherever they run. */
  shortIds?: boolean
}

/** `broken` is true for a request that the provider would refuse. */
export type Rule = { rule: string; source: string; broken(body: Fields, reader: Reader): boolean }

/** The first rule that a request breaks. */
export function refusalOf(rules: readonly Rule[], body: Fields, reader: Reader): string | undefined {
  const found = rules.find(({ broken }) => broken(body, reader))
  return found && `${found.rule} (${found.source})`
}

export function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : []
}

export function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

/** Whether a record has members besides these. */
export function hasOthers(record: Fields, known: string): boolean {
  const names = new Set(known.split(/\s+/))
  return Object.keys(record).some((name) => !names.has(name))
}

export function sameMembers(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}

export function hasTwice(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length
}
