import type { RequestFields } from '../request/request-fields.ts'
import { type RequestedTool, type RequestedTools, requestedTools, callable } from '../request/requested-tools.ts'
import type { ToolChoice } from '../request/tool-choice.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { isVertex } from './address.ts'
import type { CallingMode, FunctionDeclaration, GenerateContentRequest, ToolConfig, WireTool } from './wire.ts'

export type ToolFields = Pick<GenerateContentRequest, 'tools' | 'toolConfig'>

export function toTools(fields: RequestFields, target: Target, notes: Notes): ToolFields {
  const requested = requestedTools(fields, { provider: 'Gemini', traits: target.traits, isOwn }, notes)
  const search = toSearch(fields, requested, target, notes)
  const own = [...(requested.own as WireTool[]), ...search]
  if (requested.tools.length === 0) return listed(own)
  if (fields.parallel_tool_calls !== undefined) notes.dropped('parallel_tool_calls', 'Gemini has no setting for it')
  const toolConfig: ToolConfig = {
    ...callingConfig(requested),
    // At AI Studio, search together with functions works only if its steps are shown.
    ...(search.length > 0 && !isVertex(target) && { includeServerSideToolInvocations: true }),
  }
  return {
    ...listed([{ functionDeclarations: declared(requested).map(declaration) }, ...own]),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
  }
}

/** A tool without a type is not from the chat contract but one of Google's own, such as `urlContext`. */
function isOwn({ type, function: value, name }: Fields): boolean {
  return type === undefined && value === undefined && name === undefined
}

function listed(tools: WireTool[]): ToolFields {
  return tools.length > 0 ? { tools } : {}
}

/** A required call is limited by names; a free choice is limited by the declared functions. */
function declared(requested: RequestedTools): RequestedTool[] {
  return requested.choice?.mode === 'required' ? requested.tools : callable(requested)
}

function declaration({ name, description, parameters }: RequestedTool): FunctionDeclaration {
  return { name, ...(description && { description }), ...(parameters && { parametersJsonSchema: parameters }) }
}

const MODES: Record<ToolChoice['mode'], CallingMode> = { auto: 'AUTO', required: 'ANY', none: 'NONE' }

function callingConfig({ tools, choice }: RequestedTools): ToolConfig {
  const isFree = !choice || choice.mode === 'auto'
  const mode = isFree && tools.some(({ strict }) => strict) ? 'VALIDATED' : choice && MODES[choice.mode]
  if (!mode) return {}
  const names = choice?.named ? [choice.named] : choice?.allowed
  return { functionCallingConfig: { mode, ...(mode === 'ANY' && names && { allowedFunctionNames: names }) } }
}

/**
 * Search has no settings of ours. Models before Gemini 3 cannot search and call functions in one turn: the functions win.
 */
function toSearch(fields: RequestFields, { tools }: RequestedTools, { traits }: Target, notes: Notes): WireTool[] {
  const field = 'web_search_options'
  if (!fields.web_search_options) return []
  if (tools.length > 0 && traits?.thinking?.by !== 'level') {
    notes.dropped(field, 'this model cannot search and call functions at once')
    return []
  }
  for (const option in fields.web_search_options)
    notes.dropped(`${field}.${option}`, "Google's search has no such option")
  return [{ googleSearch: {} }]
}
