import type { ChatRequest } from '../../../contract/chat.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { GATEWAY_FIELDS } from './gateway-fields.ts'
import { keepWritten } from '../../json/written-numbers.ts'

/**
 * The fields for a target: no nulls, no fields of the gateway, nothing that the target refuses, and its field rules
 * applied.
 */
export type RequestFields = { [Field in keyof ChatRequest]?: NonNullable<ChatRequest[Field]> } & Pick<
  ChatRequest,
  'messages'
>

export const MODEL_REFUSES = 'this model refuses it'
export const THINKER_REFUSES = 'this model refuses it while it thinks'
export const PROVIDER_REFUSES = 'this provider refuses it'

/** A model that refuses `tool_choice` only refuses forced calls; it accepts other choices (see `requested-tools.ts`). */
const REFUSED_IN_PART = 'tool_choice'

/** A shallow copy: the request is not changed. */
export function requestFields(request: ChatRequest, { traits, fieldRules }: Target, notes: Notes): RequestFields {
  const fields: Fields = {}
  const members: Fields = request
  for (const field of Object.keys(members))
    if (members[field] != null && !GATEWAY_FIELDS.has(field)) fields[field] = members[field]
  if (fieldRules) applyFieldRules(fields, fieldRules, notes)
  for (const field of traits?.refuses ?? []) if (field !== REFUSED_IN_PART) drop(fields, field, MODEL_REFUSES, notes)
  return keepWritten(fields as unknown as RequestFields, request)
}

function applyFieldRules(fields: Fields, fieldRules: NonNullable<Target['fieldRules']>, notes: Notes): void {
  for (const field of fieldRules.drop ?? []) drop(fields, field, PROVIDER_REFUSES, notes)
  for (const [field, name] of Object.entries(fieldRules.rename ?? {})) rename(fields, field, name, notes)
  for (const [field, value] of Object.entries(fieldRules.defaults ?? {})) fields[field] ??= value
}

function drop(fields: Fields, field: string, reason: string, notes: Notes): void {
  if (fields[field] === undefined) return
  delete fields[field]
  notes.dropped(field, reason)
}

function rename(fields: Fields, field: string, name: string, notes: Notes): void {
  if (fields[field] === undefined) return
  fields[name] = fields[field]
  delete fields[field]
  notes.renamed(field, `this provider calls it ${name}`)
}
