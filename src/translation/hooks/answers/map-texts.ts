import type { AnswerPart } from '../hook.ts'

/** The fields that a message and a delta have in common. */
type Texts = {
  content?: string | null
  reasoning_content?: string | null
  refusal?: string | null
  tool_calls?: readonly Call[] | null
  function_call?: { arguments?: string | null } | null
}
type Call = {
  index?: number
  function?: { arguments?: string | null } | null
  custom?: Record<string, unknown> | null
}

/** Identifies a text. The name distinguishes the arguments of several calls. */
export type TextName = { part: AnswerPart; name: string }
type Change = (text: string, where: TextName) => string

const PLAIN = ['reasoning_content', 'content', 'refusal'] as const

/** Changes every text of the fields. Returns the same object if no text changes. */
export function mapTexts<Fields extends Texts>(fields: Fields, change: Change): Fields {
  const changed: Texts = {}
  for (const part of PLAIN) {
    const text = fields[part]
    if (typeof text === 'string') note(part, text, change(text, { part, name: part }))
  }
  const calls = fields.tool_calls?.map((call, at) => mapCall(call, at, change))
  if (calls?.some((call, at) => call !== fields.tool_calls?.[at])) changed.tool_calls = calls
  if (typeof fields.function_call?.arguments === 'string') {
    const before = fields.function_call.arguments
    const text = change(before, { part: 'arguments', name: 'function_call' })
    if (text !== before) changed.function_call = { ...fields.function_call, arguments: text }
  }
  return Object.keys(changed).length === 0 ? fields : { ...fields, ...changed }

  function note(part: (typeof PLAIN)[number], before: string, after: string) {
    if (before !== after) changed[part] = after
  }
}

function mapCall(call: Call, at: number, change: Change): Call {
  const index = call.index ?? at
  const value = call.function?.arguments
  if (typeof value === 'string') {
    const text = change(value, { part: 'arguments', name: `function.${index}` })
    return text === value ? call : { ...call, function: { ...call.function, arguments: text } }
  }
  const input = call.custom?.input
  if (typeof input !== 'string') return call
  const text = change(input, { part: 'arguments', name: `custom.${index}` })
  return text === input ? call : { ...call, custom: { ...call.custom, input: text } }
}

/** A delta with only this text. */
export function deltaWith({ name }: TextName, text: string): object {
  const [kind, index] = name.split('.')
  if (kind === 'function_call') return { function_call: { arguments: text } }
  if (kind === 'function') return { tool_calls: [{ index: Number(index), function: { arguments: text } }] }
  if (kind === 'custom') return { tool_calls: [{ index: Number(index), custom: { input: text } }] }
  return { [name]: text }
}
