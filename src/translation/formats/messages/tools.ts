import type { ChatRequest } from '../../../contract/chat.ts'
import type { MessagesRequest } from '../../../contract/messages.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls' | 'web_search_options'>

/** Translates functions and web search. Tools that only providers of this format can run stay unchanged. */
export function toolFields({ tools, tool_choice }: MessagesRequest): ToolFields {
  if (!tools?.length) return {}
  const search = tools.find(isSearch)
  const others = tools.filter((tool) => !isSearch(tool)).map((tool) => (isFunction(tool) ? asFunction(tool) : tool))
  return {
    ...(others.length > 0 && { tools: others, ...choiceFields(tool_choice) }),
    ...(search && { web_search_options: searchOptions(search) }),
  }

  function asFunction({ name, description, input_schema, strict, cache_control }: Fields): Fields {
    const declared = {
      name,
      ...(textOf(description) && { description }),
      ...(isRecord(input_schema) && { parameters: input_schema }),
      ...(strict === true && { strict }),
    }
    return {
      type: 'function',
      function: declared,
      ...(isRecord(cache_control) && { cache_control }),
    }
  }
}

function isSearch({ type }: Fields): boolean {
  return typeof type === 'string' && type.startsWith('web_search_')
}

function isFunction({ type, input_schema }: Fields): boolean {
  return type === undefined || type === null || type === 'custom' || isRecord(input_schema)
}

const SIZES: readonly (readonly [uses: number, size: string])[] = [
  [1, 'low'],
  [5, 'medium'],
]

function searchOptions({ max_uses, allowed_domains, user_location }: Fields): Fields {
  const size = typeof max_uses === 'number' && (SIZES.find(([uses]) => max_uses <= uses)?.[1] ?? 'high')
  const { type: _, ...approximate } = recordOf(user_location)
  return {
    ...(size && { search_context_size: size }),
    ...(Array.isArray(allowed_domains) && { filters: { allowed_domains } }),
    ...(isRecord(user_location) && { user_location: { type: 'approximate', approximate } }),
  }
}

function choiceFields(choice: Fields | null | undefined): Pick<ChatRequest, 'tool_choice' | 'parallel_tool_calls'> {
  const tool_choice = toChoice(recordOf(choice))
  return {
    ...(tool_choice && { tool_choice }),
    ...(choice?.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  }
}

function toChoice({ type, name }: Fields): ChatRequest['tool_choice'] {
  if (type === 'tool') return { type: 'function', function: { name } }
  if (type === 'any') return 'required'
  return type === 'auto' || type === 'none' ? type : undefined
}
