import { amountOf } from './amount-of.ts'
import { isScore, score } from '../fields/score.ts'

// Answers of document providers have hundreds of fields, any of which may be missing, null or of a changed type. A value of an
// unexpected type counts as missing.

/** The value at a path; undefined if the path does not exist. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined
  }, value)
}

export function textAt(value: unknown, ...path: (string | number)[]): string | null {
  const found = valueAt(value, ...path)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : null
}

/** A number, or the number in a text. */
export function numberAt(value: unknown, ...path: (string | number)[]): number | null {
  const found = valueAt(value, ...path)
  if (typeof found === 'number') return Number.isFinite(found) ? found : null
  return typeof found === 'string' ? amountOf(found) : null
}

/** A score of our own scale; a number that cannot be one is none. */
export function scoreAt(value: unknown, ...path: (string | number)[]): number | null {
  const found = numberAt(value, ...path)
  return found !== null && isScore(found) ? score(found) : null
}

export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

export function textsAt(value: unknown, ...path: (string | number)[]): string[] {
  return listAt(value, ...path).filter((one) => typeof one === 'string' && one !== '') as string[]
}

/** The parts that exist, joined in one line. */
export function joined(parts: readonly (string | null)[], separator = ', '): string | null {
  return parts.filter((part) => part !== null).join(separator) || null
}
