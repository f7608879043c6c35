import type { Database } from './store/database.ts'

/** What every use case may need: the clocks, the store, new ids. */
export type Ground = Clock & {
  db: Database
  newId(): string
}

export type Clock = {
  /** The wall clock, for moments that are shown or stored. It may jump, so it measures nothing. */
  now(): number
  /** Milliseconds since any moment; never goes back. For durations, limits and how long something is remembered. */
  monotonic(): number
}
