import { WEEK_MS } from './rollups.ts'
import { DAY_MS, HOUR_MS } from '../../../base/units/units.ts'

/** `from` ≤ time < `to`. */
export type Range = { from: number; to: number }

export type Piece = Range & {
  of: 'week' | 'day' | 'hour' | 'line'
  /** Whether the piece is added or taken away. */
  sign: 1 | -1
}

type SplitOptions = {
  now: number
  /** The largest step whose sums can be used: a report by day cannot use weeks. */
  largest: 'week' | 'day' | 'hour'
}

const STEPS = [
  { of: 'line', next: 'hour', length: HOUR_MS },
  { of: 'hour', next: 'day', length: DAY_MS },
  { of: 'day', next: 'week', length: WEEK_MS },
] as const

/**
 * A range of time as whole weeks, and days, hours and lines at its ends. The first piece has the whole steps; then come the
 * pieces of the beginning and of the end, always as many.
 *
 * Each end is moved to the nearer border of a larger step, and the piece in between is added or taken away: the last hours of
 * a day are taken away from the day instead of adding up its other hours. Nothing is after now, so a report up to now takes
 * the whole current week and takes nothing away.
 */
export function splitRange({ from, to }: Range, options: SplitOptions): Piece[] {
  const start = moved(from, options)
  const end = moved(to, options)
  const isShort = Math.floor(from / HOUR_MS) === Math.floor(to / HOUR_MS) || to <= from
  if (isShort) return linesOnly(start.pieces.length, { from, to: Math.max(from, to) })
  const whole: Piece = { of: options.largest, from: start.time, to: end.time, sign: 1 }
  return [whole, ...start.pieces.map(negated), ...end.pieces]
}

/** What is before a time is what is before the moved time, with these pieces added or taken away. */
function moved(time: number, { now, largest }: SplitOptions): { time: number; pieces: Piece[] } {
  const pieces: Piece[] = []
  for (const { of, next, length } of STEPS) {
    const before = Math.floor(time / length) * length
    const after = Math.ceil(time / length) * length
    const isNearBefore = Math.min(time, now) - before <= Math.min(after, now) - time
    if (isNearBefore) pieces.push({ of, from: before, to: time, sign: 1 })
    else pieces.push({ of, from: time, to: after, sign: -1 })
    time = isNearBefore ? before : after
    if (next === largest) break
  }
  return { time, pieces }
}

function negated(piece: Piece): Piece {
  return { ...piece, sign: piece.sign === 1 ? -1 : 1 }
}

/** A range within an hour. The other pieces are empty. */
function linesOnly(count: number, range: Range): Piece[] {
  const { from } = range
  const ends = STEPS.slice(0, count).map(({ of }): Piece => ({ of, from, to: from, sign: 1 }))
  const largest = STEPS[count - 1]!.next
  return [{ of: largest, from, to: from, sign: 1 }, ...ends, { ...ends[0]!, ...range }, ...ends.slice(1)]
}
