import type { Notes } from './notes.ts'
import { textOf } from '../../base/schema/record.ts'
import { DAY_SECONDS, MINUTE_SECONDS, HOUR_SECONDS } from '../../base/units/units.ts'

// Marks that say: cache everything up to here.

/** Both wire formats with marks accept this many. */
export const MAX_CACHE_MARKS = 4

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: MINUTE_SECONDS, h: HOUR_SECONDS, d: DAY_SECONDS, '': 1 }

type CacheLife = '5m' | '1h'
const LIVES = ['5m', '1h'] as const

/** The lifetime of a mark: the closer of the two that exist. Undefined means the provider's default. */
export function cacheLife(ttl: unknown, notes: Notes): CacheLife | undefined
export function cacheLife<Life extends string>(
  ttl: unknown,
  notes: Notes,
  lives: readonly [short: Life, long: Life],
): Life | undefined
export function cacheLife(ttl: unknown, notes: Notes, [short, long]: readonly [string, string] = LIVES) {
  if (ttl === undefined || ttl === null) return undefined
  if (ttl === short || ttl === long) return ttl
  notes.translated('cache_control.ttl', `this provider keeps a cache for "${short}" or "${long}"`)
  const seconds = secondsIn(textOf(ttl))
  if (seconds === undefined) return undefined
  return seconds - secondsIn(short)! < secondsIn(long)! - seconds ? short : long
}

/**
 * If there are too many marks, the first covers what changes least, and the last ones are what the next turn continues
 * from.
 */
export function keptMarks<Mark>(marks: readonly Mark[]): ReadonlySet<Mark> {
  return new Set(marks.length <= MAX_CACHE_MARKS ? marks : [marks[0]!, ...marks.slice(1 - MAX_CACHE_MARKS)])
}

function secondsIn(ttl: string): number | undefined {
  const [, amount, unit = ''] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*([smhd]?)\s*$/i.exec(ttl) ?? []
  return amount === undefined ? undefined : Number(amount) * SECONDS[unit.toLowerCase()]!
}
