import type { ChatRequest } from '../../contract/chat.ts'
import type { Target } from '../dialect.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../record.ts'
import { GATEWAY_FIELDS } from './gateway-fields.ts'

/** What is asked of a target: no nulls, nothing that steers the gateway, nothing refused there, its quirks applied. */
export type Asked = { [Field in keyof ChatRequest]?: NonNullable<ChatRequest[Field]> } & Pick<ChatRequest, 'messages'>

export const MODEL_REFUSES = 'this model refuses it'
export const THINKER_REFUSES = 'this model refuses it while it thinks'
export const PROVIDER_REFUSES = 'this provider refuses it'

/** A model that refuses `tool_choice` refuses to be forced; other choices it takes (see `asked-tools.ts`). */
const REFUSED_IN_PART = 'tool_choice'

/** A flat copy: the request stays as it is. */
export function askedFields(request: ChatRequest, { traits, quirks }: Target, notes: Notes): Asked {
  const asked: Fields = {}
  const given: Fields = request
  for (const field of Object.keys(given))
    if (given[field] != null && !GATEWAY_FIELDS.has(field)) asked[field] = given[field]
  if (quirks) applyQuirks(asked, quirks, notes)
  for (const field of traits?.refuses ?? []) if (field !== REFUSED_IN_PART) drop(asked, field, MODEL_REFUSES, notes)
  return asked as unknown as Asked
}

function applyQuirks(asked: Fields, quirks: NonNullable<Target['quirks']>, notes: Notes): void {
  for (const field of quirks.drop ?? []) drop(asked, field, PROVIDER_REFUSES, notes)
  for (const [field, name] of Object.entries(quirks.rename ?? {})) rename(asked, field, name, notes)
  for (const [field, value] of Object.entries(quirks.defaults ?? {})) asked[field] ??= value
}

function drop(asked: Fields, field: string, reason: string, notes: Notes): void {
  if (asked[field] === undefined) return
  delete asked[field]
  notes.dropped(field, reason)
}

function rename(asked: Fields, field: string, name: string, notes: Notes): void {
  if (asked[field] === undefined) return
  asked[name] = asked[field]
  delete asked[field]
  notes.renamed(field, `this provider calls it ${name}`)
}
