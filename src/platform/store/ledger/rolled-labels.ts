import type { Database } from '../database.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// Callers choose end users and tags, so there may be as many of them as calls. Roll-ups count a limited number of them a
// day in each process by name, and all others together as `(other)`. What a line is counted as is written into the line, so that sums of
// hours, days and weeks, and of lines, can be added and taken away.

export const OTHER_VALUES = '(other)'
export const END_USER = 'end_user'
export const TAG_PREFIX = 'tag:'

/** Lines that waited in a journal may be of another day. */
const MAX_DAYS = 4
export const LABEL_LIMITS = { endUsers: 2_000, tags: 50, valuesOfTag: 200 }

type Labelled = { at: number; endUser: string | null; tags: Readonly<Record<string, string>> | null }
/** By dimension: `end_user`, `tag:team`. */
type RolledLabels = Record<string, string>

type Day = Map<string, Set<string>>

/** What has been counted by name so far, by day and dimension. */
export class LabelCounts {
  readonly #days = new Map<number, Day>()
  readonly #limits: typeof LABEL_LIMITS

  constructor(limits = LABEL_LIMITS) {
    this.#limits = limits
  }

  /** Null if the line has no labels. */
  of({ at, endUser, tags }: Labelled): RolledLabels | null {
    if (endUser === null && tags === null) return null
    const day = this.#dayOf(at)
    const rolled: [string, string][] = []
    if (endUser !== null) rolled.push([END_USER, counted(day, END_USER, endUser, this.#limits.endUsers)])
    for (const [name, value] of Object.entries(tags ?? {})) {
      const dimension = `${TAG_PREFIX}${name}`
      if (day.has(dimension) || day.size <= this.#limits.tags)
        rolled.push([dimension, counted(day, dimension, value, this.#limits.valuesOfTag)])
    }
    return Object.fromEntries(rolled)
  }

  #dayOf(at: number): Day {
    const number = Math.floor(at / DAY_MS)
    const existing = this.#days.get(number)
    if (existing) return existing
    const day: Day = new Map([[END_USER, new Set()]])
    this.#days.set(number, day)
    if (this.#days.size > MAX_DAYS) this.#days.delete(Math.min(...this.#days.keys()))
    return day
  }
}

/** The value itself if it is among those that are counted by name. */
function counted(day: Day, dimension: string, value: string, limit: number): string {
  const values = day.get(dimension) ?? new Set()
  day.set(dimension, values)
  if (values.has(value)) return value
  if (values.size >= limit) return OTHER_VALUES
  values.add(value)
  return value
}

const countsOf = new WeakMap<Database, LabelCounts>()

/** Each connection to a store counts for itself. */
export function labelCounts(db: Database): LabelCounts {
  const existing = countsOf.get(db)
  if (existing) return existing
  const counts = new LabelCounts()
  countsOf.set(db, counts)
  return counts
}

/** A table expression with the `key` and `value` of each label that a line is counted by. */
export function labelsOfLine(kind: Database['kind'], line: string): string {
  return kind === 'postgres'
    ? `LATERAL json_each_text(CAST(${line}.rolled_labels AS JSON)) AS label (key, value)`
    : `json_each(${line}.rolled_labels) AS label`
}
