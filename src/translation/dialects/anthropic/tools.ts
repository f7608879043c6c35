import type { ModelTraits } from '../model-traits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import {
  type RequestedTool,
  type RequestedTools,
  requestedTools,
  callable,
  NO_PARAMETERS,
} from '../request/requested-tools.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { cacheMark } from './cache-marks.ts'
import { lowerSchema } from './lower-schema.ts'
import type { FunctionTool, Tool, ToolChoice } from './messages-body.ts'
import { webSearchTool } from './web-search.ts'

/** The tools that the model may call, and how it may choose. */
export type Tools = { tools: Tool[]; choice: ToolChoice | undefined }

/** All kinds of tools: functions, Anthropic's own tools, and web search. */
export function toTools(fields: RequestFields, traits: ModelTraits | undefined, notes: Notes): Tools {
  const requested = requestedTools(fields, { provider: 'Anthropic', traits, isOwn: isNative }, notes)
  const functions = callable(requested).map((tool) => functionTool(tool, traits, notes))
  const tools = [...functions, ...requested.own.map((tool) => native(tool, notes)), ...search(fields, traits, notes)]
  // Without tools there is nothing to choose.
  return { tools, choice: tools.length > 0 ? onePerTurn(toChoice(requested), fields) : undefined }
}

/** A tool that is already in Anthropic's format: `{name, input_schema}`, or a server tool such as `bash_20250124`. */
function isNative({ name, type, input_schema }: Fields): boolean {
  if (typeof name !== 'string') return false
  return isRecord(input_schema) || (typeof type === 'string' && type !== 'function' && type !== 'custom')
}

function native(tool: Fields, notes: Notes): Tool {
  return { ...(tool as unknown as FunctionTool), ...markOf(tool.cache_control, notes) }
}

function search({ web_search_options }: RequestFields, traits: ModelTraits | undefined, notes: Notes): Tool[] {
  if (!web_search_options) return []
  if (!traits?.lacks?.includes('tools')) return [webSearchTool(web_search_options, notes)]
  notes.dropped('web_search_options', 'this model does not support tools')
  return []
}

function functionTool(tool: RequestedTool, traits: ModelTraits | undefined, notes: Notes): FunctionTool {
  const { name, description, parameters = NO_PARAMETERS, strict, cacheControl } = tool
  return {
    name,
    ...(description && { description }),
    ...(strict ? strictSchema(parameters, traits, notes) : { input_schema: asObject(parameters) }),
    ...markOf(cacheControl, notes),
  }
}

function strictSchema(schema: Fields, traits: ModelTraits | undefined, notes: Notes) {
  const lowered = traits?.lacks?.includes('json_schema') ? undefined : lowerSchema(schema)
  if (!lowered?.isAccepted) {
    notes.dropped('tools.strict', lowered?.why ?? 'this model does not support strict schemas')
    return { input_schema: asObject(schema) }
  }
  if (lowered.weakened.length > 0)
    notes.translated('tools.parameters', `moved to descriptions: ${lowered.weakened.join(', ')}`)
  return { input_schema: asObject(lowered.schema), strict: true }
}

function asObject(schema: Fields): FunctionTool['input_schema'] {
  return schema.type === 'object' ? (schema as FunctionTool['input_schema']) : { ...schema, type: 'object' }
}

function markOf(mark: unknown, notes: Notes) {
  return isRecord(mark) ? { cache_control: cacheMark(mark, notes) } : {}
}

function toChoice({ choice }: RequestedTools): ToolChoice | undefined {
  if (choice?.mode !== 'required') return choice && { type: choice.mode as 'auto' }
  return choice.named ? { type: 'tool', name: choice.named } : { type: 'any' }
}

function onePerTurn(choice: ToolChoice | undefined, { parallel_tool_calls }: RequestFields): ToolChoice | undefined {
  if (parallel_tool_calls !== false || choice?.type === 'none') return choice
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
}
