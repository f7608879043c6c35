import type { ImportOutcome } from '../../finding.ts'

/** What usually becomes of a place in the source: its path below the section, the outcome, and where it goes or what to do. */
export type Row = readonly [path: string, outcome: ImportOutcome, note: string]
