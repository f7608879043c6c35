import type { Fields } from '../../../base/schema/record.ts'
import type { OutputItem } from './output-item.ts'

/** Writes one event of a response. */
export type Emit = (type: string, fields: Fields) => string

export type ItemPosition = { output_index: number; item_id: string }

/** An output item while it is written: how it begins, how it ends, and the final item. */
export type OpenItem = { begin(): string; done(): string; item(): OutputItem }
