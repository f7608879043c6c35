import type { RequestFields } from '../request/request-fields.ts'
import type { Fields } from '../../../base/schema/record.ts'

export type Thinking = {
  /** For `additionalModelRequestFields`. */
  fields: Fields
  /** Claude's effort, which may be in one of two places. */
  effort?: string | undefined
  /** The maximum length of the answer, if thinking changes it. */
  maxTokens?: number
  /** Fields that may not be set together with thinking. */
  excludes: readonly (keyof RequestFields)[]
}

/** Parts of the request that conflict with thinking. */
export type Circumstances = {
  /** A tool has to be called. */
  forced: boolean
  /** The last answer called tools, and its signed reasoning is missing. */
  unsigned: boolean
}

export const SILENT: Thinking = { fields: {}, excludes: [] }
