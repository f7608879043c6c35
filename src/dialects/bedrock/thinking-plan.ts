import type { RequestFields } from '../request/request-fields.ts'
import type { Fields } from '../../schema/record.ts'

export type Thinking = {
  /** For `additionalModelRequestFields`. */
  fields: Fields
  /** Claude's effort, which stands in one place or another. */
  effort?: string | undefined
  /** The longest answer, where thinking changes it. */
  maxTokens?: number
  /** What may not be set beside it. */
  excludes: readonly (keyof RequestFields)[]
}

/** What else is asked that thinking may not go with. */
export type Circumstances = {
  /** A tool has to be called. */
  forced: boolean
  /** The last answer called tools, and the thoughts that led there are not here. */
  unsigned: boolean
}

export const SILENT: Thinking = { fields: {}, excludes: [] }
