import { type Fields, isRecord } from '../../../base/schema/record.ts'
import type { Notes } from '../notes.ts'

/** What a function has in every format. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'parameters', 'input_schema', 'strict', 'cache_control'],
])

/**
 * The function of a tool that does not wrap it in `function`: in the responses format, and with an `input_schema` in Anthropic's.
 * Undefined for other tools.
 */
export function bareFunction(tool: Fields, notes: Notes): Fields | undefined {
  const { type, name, description, parameters, input_schema, strict } = tool
  if (typeof name !== 'string' || isRecord(tool.function) || isRecord(tool.custom)) return undefined
  const isAnthropics = isRecord(input_schema) && (type == null || type === 'custom')
  if (!isAnthropics && type != null && type !== 'function') return undefined
  for (const member in tool)
    if (!MEMBERS.has(member)) notes.dropped(`tools.${member}`, 'a function has no such member here')
  return {
    name,
    ...(description != null && { description }),
    ...((parameters ?? input_schema) != null && { parameters: parameters ?? input_schema }),
    ...(strict != null && { strict }),
  }
}
