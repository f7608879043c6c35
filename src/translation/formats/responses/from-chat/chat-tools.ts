import { cannotTake } from '../../../dialects/cannot-take.ts'
import type { Notes } from '../../../dialects/notes.ts'
import { clientFunction } from '../../../dialects/request/client-tools.ts'
import type { RequestFields } from '../../../dialects/request/request-fields.ts'
import { requestedChoice, type ToolChoice } from '../../../dialects/request/tool-choice.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../../base/schema/record.ts'
import { isHostedTool } from '../hosted-tools.ts'

const PROVIDER = 'The responses endpoint'
export const NO_MARKS = 'the responses endpoint has no cache marks'

/** The tools of a chat in this format, where functions are flat and web search is a tool. */
export function toolsOfChat(fields: RequestFields, notes: Notes): Fields {
  if (fields.tools?.some(({ cache_control }) => cache_control)) notes.dropped('cache_control', NO_MARKS)
  const declared = (fields.functions ?? []).map((one) => functionTool(one, ['functions']))
  const listed = (fields.tools ?? []).map((tool, at) => toolOf(tool, ['tools', at], notes))
  const tools = [...listed, ...declared, ...searchTool(fields.web_search_options)]
  if (tools.length === 0) return { parallel_tool_calls: undefined }
  return { tools, tool_choice: choiceOf(fields, tools) }
}

function toolOf(tool: Fields, loc: (string | number)[], notes: Notes): Fields {
  if (isRecord(tool.custom)) return customTool(tool.custom)
  const declared = isRecord(tool.function) ? tool.function : clientFunction(tool, notes)
  if (declared) return functionTool(declared, loc)
  if (isHostedTool(tool)) return tool
  if (tool.type === undefined || tool.type === 'function') return functionTool(tool, loc)
  throw cannotTake([...loc, 'type'], `${PROVIDER} cannot run "${textOf(tool.type)}"`)
}

/** A missing `strict` means false in a chat, and true here. */
function functionTool({ name, description, parameters, strict }: Fields, loc: (string | number)[]): Fields {
  if (!textOf(name)) throw cannotTake([...loc, 'name'], `${PROVIDER} needs a name for every tool`)
  return {
    type: 'function',
    name,
    ...(description != null && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  }
}

function customTool({ name, description, format }: Fields): Fields {
  const { type, grammar } = recordOf(format)
  const flat = isRecord(grammar) ? { type, ...grammar } : format
  return { type: 'custom', name, ...(description != null && { description }), ...(flat != null && { format: flat }) }
}

function searchTool(options: unknown): Fields[] {
  if (!isRecord(options)) return []
  const { search_context_size, user_location, filters } = options
  const approximate = recordOf(recordOf(user_location).approximate ?? user_location)
  return [
    {
      type: 'web_search',
      ...(search_context_size != null && { search_context_size }),
      ...(isRecord(user_location) && { user_location: { ...approximate, type: 'approximate' } }),
      ...(isRecord(filters) && { filters }),
    },
  ]
}

function choiceOf(fields: RequestFields, tools: readonly Fields[]): unknown {
  const { tool_choice } = fields
  if (isRecord(tool_choice) && isHostedTool(tool_choice)) return tool_choice
  const choice = requestedChoice(fields, PROVIDER)
  return choice && writtenChoice(choice, tools)
}

function writtenChoice({ mode, named, allowed }: ToolChoice, tools: readonly Fields[]): unknown {
  const reference = (name: string) => ({ type: tools.find((tool) => tool.name === name)?.type ?? 'function', name })
  if (named) return reference(named)
  return allowed ? { type: 'allowed_tools', mode, tools: allowed.map(reference) } : mode
}
