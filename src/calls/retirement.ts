import type { Note } from '../translation/dialects/chat-codec.ts'

/** What the catalog says about the end of a model. */
export type Retirement = {
  /** The day on which its provider ends it. */
  retires_at?: string | undefined
  /** The model that its provider recommends instead. */
  replaced_by?: string | undefined
}

/** The value of the header `Sunset` (RFC 8594): the beginning of the day, as an HTTP date. */
export function sunsetOf({ retires_at }: Retirement): string {
  return new Date(`${retires_at}T00:00:00Z`).toUTCString()
}

export function retirementNote({ retires_at, replaced_by }: Retirement): Note {
  const instead = replaced_by ? `; its provider recommends ${replaced_by} instead` : ''
  return { field: 'model', action: 'retires', reason: `the provider retires this model on ${retires_at}${instead}` }
}
