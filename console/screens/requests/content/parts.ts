/** A text, or something with a title: the call of a tool, its result, a thought, an image that was not kept. */
export type Part = { title?: string; text: string }
type Fields = Readonly<Record<string, unknown>>

/** A block of a message, as the formats write it. */
export function partOf(block: unknown): Part {
  if (typeof block === 'string') return { text: block }
  const fields = (block ?? {}) as Fields
  const { type, text, thinking } = fields
  if (typeof thinking === 'string') return { title: 'Thinking', text: thinking }
  if (typeof text === 'string') return { text }
  if (type === 'tool_use' || type === 'function_call') return callOf(fields)
  if (type === 'tool_result' || type === 'function_call_output') return resultOf(fields)
  if (fields.functionCall) return callOf(fields.functionCall)
  if (fields.functionResponse) return resultOf(fields.functionResponse as Fields)
  return { title: typeof type === 'string' ? type.replaceAll('_', ' ') : 'Other', text: jsonOf(block) }
}

export function callOf(call: unknown): Part {
  const fields = (call ?? {}) as Fields
  const { name, arguments: given, input, args } = (fields.function ?? fields) as Fields
  return { title: `Calls ${nameIn(name)}`, text: textOf(given ?? input ?? args ?? '') }
}

/** `said`: the parts of its content, if they were read already. */
export function resultOf(fields: Fields, said?: readonly Part[]): Part {
  const { tool_call_id: chat, tool_use_id: messages, call_id: responses, name } = fields
  const of = nameIn(chat ?? messages ?? responses ?? name)
  const texts = said?.map(({ text }) => text).join('\n')
  return { title: `Result of ${of}`, text: texts ?? textOf(fields.content ?? fields.output ?? fields.response ?? '') }
}

function nameIn(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : 'a tool'
}

/** Blocks of text are read as text, anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const isBlocks = Array.isArray(value) && value.length > 0
  return isBlocks ? value.map((one) => partOf(one).text).join('\n') : jsonOf(value)
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
