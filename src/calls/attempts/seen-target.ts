import { age, type Expected, type Figures, noFigures, sumOf } from './figures.ts'
import { DAY_MS } from '../../base/units/units.ts'

// What has been observed of one target, by owner and by process.

export const MAX_OWNERS_OF_A_TARGET = 32

export type Cached = { expected?: Expected | undefined; expectedAt: number }
type AgedFigures = { figures: Figures; at: number }
/** One owner's figures of a target. */
export type Seen = Cached &
  AgedFigures & {
    lastUse: number
    /** When the last call succeeded. */
    succeededAt: number
    /** What other processes have observed, by process. */
    learned?: Map<string, AgedFigures>
  }
export type SeenTarget = {
  /** How many observations had been recorded when this entry was last used. */
  lastUse: number
  byOwner: Map<string, Seen>
  agreed: Cached
  fastest: Fastest
}

/** The highest speed in this day of the process and in the one before. Older ones are forgotten: one of them may have been an accident. */
type Fastest = { day: number; ofDay: number; ofDayBefore: number }

export function noteSpeed(fastest: Fastest, speed: number, at: number): void {
  turn(fastest, at)
  fastest.ofDay = Math.max(fastest.ofDay, speed)
}

/** Undefined if nothing was seen lately. */
export function highestOf(fastest: Fastest, at: number): number | undefined {
  turn(fastest, at)
  return Math.max(fastest.ofDay, fastest.ofDayBefore) || undefined
}

function turn(fastest: Fastest, at: number): void {
  const day = Math.floor(at / DAY_MS)
  if (day === fastest.day) return
  fastest.ofDayBefore = day === fastest.day + 1 ? fastest.ofDay : 0
  fastest.ofDay = 0
  fastest.day = day
}

export function meetOwner({ byOwner }: SeenTarget, owner: string, at: number): Seen {
  if (byOwner.size >= MAX_OWNERS_OF_A_TARGET) {
    const [oldest] = [...byOwner].reduce((one, other) => (other[1].lastUse < one[1].lastUse ? other : one))
    byOwner.delete(oldest)
  }
  const seen: Seen = { figures: noFigures(), at, lastUse: 0, expectedAt: 0, succeededAt: Number.NEGATIVE_INFINITY }
  byOwner.set(owner, seen)
  return seen
}

/** The figures of each owner, aged to that time. */
export function agedOf({ byOwner }: SeenTarget, at: number): Figures[] {
  return Array.from(byOwner.values(), (seen) => agedFigures(seen, at))
}

/** The owner's figures from all processes. */
export function agedFigures(seen: Seen, at: number): Figures {
  const own = ownFigures(seen, at)
  if (!seen.learned?.size) return own
  return sumOf([own, ...Array.from(seen.learned.values(), (learned) => ownFigures(learned, at))])
}

export function ownFigures({ figures, at: seenAt }: AgedFigures, at: number): Figures {
  const aged = copyOf(figures)
  age(aged, at - seenAt)
  return aged
}

function copyOf({ firstToken, speed, errors }: Figures): Figures {
  return { firstToken: { ...firstToken }, speed: { ...speed }, errors: { ...errors } }
}
