import type { Fields } from '../../schema/record.ts'
import type { OutputItem } from './output-items.ts'

/** Writes one event of a response. */
export type Emit = (type: string, fields: Fields) => string

export type Place = { output_index: number; item_id: string }

/** One item of the output while it is written: what begins it, what ends it, and what it has become. */
export type OpenItem = { begin(): string; done(): string; item(): OutputItem }
