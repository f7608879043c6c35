import { cannotTake } from '../cannot-take.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { RequestFields } from './request-fields.ts'

/** How tools may be chosen. `named` is the only tool allowed; `allowed` is a list of them. */
export type ToolChoice = {
  mode: 'auto' | 'required' | 'none'
  named?: string
  allowed?: string[]
}

const MODES: ReadonlyMap<unknown, ToolChoice['mode']> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  // Used by Anthropic and Mistral.
  ['any', 'required'],
])

/** Undefined if the caller sets nothing. */
export function requestedChoice(fields: RequestFields, provider: string): ToolChoice | undefined {
  const field = fields.tool_choice === undefined ? 'function_call' : 'tool_choice'
  const choice = fields[field]
  if (choice === undefined) return undefined
  const read = readChoice(choice)
  if (!read) throw cannotTake([field], `${provider} does not support this choice of tools`)
  return read
}

/** A word, an object that contains the name somewhere, or a list; the legacy form is the name alone. */
function readChoice(choice: Fields | string): ToolChoice | undefined {
  const mode = MODES.get(isRecord(choice) ? choice.type : choice)
  if (mode) return { mode }
  if (!isRecord(choice)) return undefined
  if (isRecord(choice.allowed_tools)) return readAllowed(choice.allowed_tools)
  const named = nameIn(choice)
  return named ? { mode: 'required', named } : undefined
}

function readAllowed({ mode, tools }: Fields): ToolChoice {
  return { mode: mode === 'required' ? 'required' : 'auto', allowed: recordsIn(tools).map(nameIn) }
}

function nameIn({ function: called, custom, name }: Fields): string {
  if (isRecord(called)) return textOf(called.name)
  return isRecord(custom) ? textOf(custom.name) : textOf(name)
}
