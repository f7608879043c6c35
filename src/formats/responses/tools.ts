import type { ChatRequest } from '../../contract/chat.ts'
import type { ResponsesRequest } from '../../contract/responses.ts'
import { type Fields, isRecord, recordOf, recordsIn } from '../../schema/record.ts'

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'web_search_options'>

/** Translates functions and free-form tools. Web search becomes a setting; all other tools are the provider's own. */
export function toolFields({ tools, tool_choice }: ResponsesRequest, untranslatable: string[]): ToolFields {
  if (!tools?.length) return {}
  const search = tools.find(isSearch)
  const others = tools.filter((tool) => !isSearch(tool)).flatMap((tool) => toTool(tool, untranslatable))
  const choice = toChoice(tool_choice)
  return {
    ...(others.length > 0 && { tools: others, ...(choice && { tool_choice: choice }) }),
    ...(search && { web_search_options: searchOptions(search) }),
  }
}

function toTool(tool: Fields, untranslatable: string[]): Fields[] {
  // Some clients send the chat format's tools here.
  if (isRecord(tool.function)) return [tool]
  const { type, name, description, parameters, strict, format } = tool
  const named = { name, ...(description != null && { description }) }
  if (type === 'custom') return [{ type, custom: { ...named, ...(format != null && { format }) } }]
  if (type === 'function') {
    const declared = { ...named, ...(parameters != null && { parameters }), ...(strict != null && { strict }) }
    return [{ type, function: declared }]
  }
  untranslatable.push('tools')
  return []
}

function isSearch({ type }: Fields): boolean {
  return typeof type === 'string' && type.startsWith('web_search')
}

function searchOptions({ search_context_size, user_location, filters }: Fields): Fields {
  const { type: _, ...place } = recordOf(user_location)
  return {
    ...(search_context_size != null && { search_context_size }),
    ...(isRecord(user_location) && { user_location: { type: 'approximate', approximate: place } }),
    ...(isRecord(filters) && { filters }),
  }
}

function toChoice(choice: ResponsesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (!isRecord(choice)) return choice as ChatRequest['tool_choice']
  const { type, name, mode, tools } = choice
  if (type === 'function') return { type, function: { name } }
  if (type === 'custom') return { type, custom: { name } }
  if (type !== 'allowed_tools') return undefined
  const allowed = recordsIn(tools).map((tool) => ({ type: tool.type, function: { name: tool.name } }))
  return { type, allowed_tools: { mode, tools: allowed } }
}
