import type { ChatRequest } from '../../../contract/chat.ts'
import type { ResponsesRequest } from '../../../contract/responses.ts'
import type { Untranslatable } from '../../wire/native-ask.ts'
import { type FlatNames, flatNames } from './namespaces.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'web_search_options'>

/** Translates functions and free-form tools. Web search becomes a setting; all other tools are the provider's own. */
export function toolFields({ tools, tool_choice }: ResponsesRequest, untranslatable: Untranslatable[]): ToolFields {
  if (!tools?.length) return {}
  const names = flatNames(tools)
  const search = tools.find(isSearch)
  const others = tools.filter((tool) => !isSearch(tool)).flatMap((tool) => toTool(tool, names, untranslatable))
  const choice = toChoice(tool_choice, names)
  return {
    ...(others.length > 0 && { tools: others, ...(choice && { tool_choice: choice }) }),
    ...(search && { web_search_options: searchOptions(search) }),
  }
}

function toTool(tool: Fields, names: FlatNames, untranslatable: Untranslatable[]): Fields[] {
  // Some clients send the chat format's tools here.
  if (isRecord(tool.function)) return [tool]
  const { type, name, description, parameters, strict, format } = tool
  const named = { name, ...(description != null && { description }) }
  if (type === 'custom') return [{ type, custom: { ...named, ...(format != null && { format }) } }]
  if (type === 'function') {
    const declared = { ...named, ...(parameters != null && { parameters }), ...(strict != null && { strict }) }
    return [{ type, function: declared }]
  }
  if (type === 'namespace')
    return recordsIn(tool.tools).flatMap((inner) => toTool(inNamespace(inner), names, untranslatable))
  untranslatable.push({ field: 'tools', type: textOf(type) })
  return []

  function inNamespace(inner: Fields): Fields {
    return { ...inner, name: names.flat({ name: inner.name, namespace: name }) }
  }
}

function isSearch({ type }: Fields): boolean {
  return typeof type === 'string' && type.startsWith('web_search')
}

function searchOptions({ search_context_size, user_location, filters }: Fields): Fields {
  const { type: _, ...approximate } = recordOf(user_location)
  return {
    ...(search_context_size != null && { search_context_size }),
    ...(isRecord(user_location) && { user_location: { type: 'approximate', approximate } }),
    ...(isRecord(filters) && { filters }),
  }
}

function toChoice(choice: ResponsesRequest['tool_choice'], names: FlatNames): ChatRequest['tool_choice'] {
  if (!isRecord(choice)) return choice as ChatRequest['tool_choice']
  const { type, mode, tools } = choice
  const name = names.flat(choice)
  if (type === 'function') return { type, function: { name } }
  if (type === 'custom') return { type, custom: { name } }
  if (type !== 'allowed_tools') return undefined
  const allowed = recordsIn(tools).map((tool) => ({ type: tool.type, function: { name: names.flat(tool) } }))
  return { type, allowed_tools: { mode, tools: allowed } }
}
