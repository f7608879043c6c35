// Readers for JSON from callers and providers. A value of the wrong type reads as if it were absent.

/** A JSON object whose members are unknown. */
export type Fields = Record<string, unknown>

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function recordsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** What a table has under a name that came from outside; not what every object has, such as `constructor`. */
export function ownOf<Value>(table: Readonly<Record<string, Value>>, name: string | undefined): Value | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** A whole number that is not negative. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : 0
}

/** No request has nearly as many tokens, searches, or units of a task. */
export const MAX_COUNT = 1e10

/** A count that is billed, as a number or as text: 0 if it is absent, undefined if it cannot be read. */
export function readCount(value: unknown): number | undefined {
  if (value === undefined || value === null) return 0
  const count = typeof value === 'string' && /^\d{1,11}$/.test(value) ? Number(value) : value
  return Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MAX_COUNT ? Number(count) : undefined
}
