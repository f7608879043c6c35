import type { Database } from '../database.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// Callers choose end users, sessions, agents and tags, so there may be as many of them as calls. Roll-ups count a limited number of them a
// day in each process by name, and all others together as `(other)`. What a line is counted as is written into the line, so that sums of
// hours, days and weeks, and of lines, can be added and taken away.

export const OTHER_VALUES = '(other)'
/** What every line may have one of, by the name of its dimension. */
const OWN_LABELS = { end_user: 'endUser', session: 'session', agent: 'agent' } as const
export type OwnLabel = keyof typeof OWN_LABELS
const OWN_NAMES = Object.keys(OWN_LABELS) as OwnLabel[]
export const TAG_PREFIX = 'tag:'

/** Lines that waited in a journal may be of another day. */
const MAX_DAYS = 4
export const LABEL_LIMITS = { end_user: 2_000, session: 5_000, agent: 2_000, tags: 50, valuesOfTag: 200 }

type Labelled = Readonly<Record<(typeof OWN_LABELS)[OwnLabel], string | null>> & {
  at: number
  tags: Readonly<Record<string, string>> | null
}
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
  of(line: Labelled): RolledLabels | null {
    if (line.endUser === null && line.session === null && line.agent === null && line.tags === null) return null
    const day = this.#dayOf(line.at)
    const rolled: [string, string][] = []
    for (const name of OWN_NAMES) {
      const value = line[OWN_LABELS[name]]
      if (value !== null) rolled.push([name, counted(day, name, value, this.#limits[name])])
    }
    for (const [name, value] of Object.entries(line.tags ?? {})) {
      const dimension = `${TAG_PREFIX}${name}`
      if (day.has(dimension) || day.size < OWN_NAMES.length + this.#limits.tags)
        rolled.push([dimension, counted(day, dimension, value, this.#limits.valuesOfTag)])
    }
    return Object.fromEntries(rolled)
  }

  #dayOf(at: number): Day {
    const number = Math.floor(at / DAY_MS)
    const existing = this.#days.get(number)
    if (existing) return existing
    const day: Day = new Map(OWN_NAMES.map((name) => [name, new Set()]))
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
