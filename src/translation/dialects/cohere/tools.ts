import { type RequestedTools, callable, NO_PARAMETERS } from '../request/requested-tools.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'

/** If a tool is named, only that tool is sent and a call is required. Undefined if there are no tools. */
export function toTools(fields: RequestedTools, notes: Notes): Fields | undefined {
  const tools = callable(fields)
  const { mode = 'auto', named } = fields.choice ?? {}
  if (tools.length === 0) return undefined
  if (tools.some(({ cacheControl }) => cacheControl)) notes.dropped('cache_control', 'Cohere has no cache marks')
  const strict = tools.filter((tool) => tool.strict)
  if (strict.length > 0 && strict.length < tools.length)
    notes.dropped('tools.strict', 'Cohere supports it for all tools or for none')
  return {
    tools: tools
      .filter(({ name }) => !named || name === named)
      .map(({ name, description, parameters = NO_PARAMETERS }) => {
        return { type: 'function', function: { name, ...(description && { description }), parameters } }
      }),
    ...(mode !== 'auto' && { tool_choice: mode === 'none' ? 'NONE' : 'REQUIRED' }),
    ...(strict.length === tools.length && { strict_tools: true }),
  }
}
