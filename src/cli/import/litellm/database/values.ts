import type { Fields } from '../../../../base/schema/record.ts'
import { numberOf } from '../values.ts'

// Values of LiteLLM's tables.

/** Prisma stores UTC without saying so. */
export function momentOf(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const moment = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`)
  return Number.isNaN(moment) ? null : moment
}

/** A limit of 0 or less is none in LiteLLM. */
export function limitIn(value: unknown): number | undefined {
  const number = numberOf(value)
  return number !== undefined && number > 0 ? number : undefined
}

/** Whether a column says anything. */
export function isSet(value: unknown): boolean {
  if (typeof value === 'number') return value > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return value === true || (typeof value === 'string' && value !== '')
}

/** The first of these columns that has a text. */
export function firstText(row: Fields, ...columns: readonly string[]): string | undefined {
  const values = columns.map((column) => row[column])
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}
