import type { CacheControl } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import type { ModelTraits } from '../model-traits.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import type { RequestFields } from './request-fields.ts'
import { bareFunction } from './bare-function.ts'
import { clientFunction } from './client-tools.ts'
import { requestedChoice, type ToolChoice } from './tool-choice.ts'

export type RequestedTool = {
  name: string
  description: string
  /** Undefined if it has none. */
  parameters: Fields | undefined
  strict: boolean
  cacheControl?: CacheControl
}

/** The tools and the choice among them, in whatever form the caller wrote them. */
export type RequestedTools = {
  tools: RequestedTool[]
  /** Tools in the provider's own format. */
  own: Fields[]
  choice: ToolChoice | undefined
}

/** For wire formats that require a schema. */
export const NO_PARAMETERS: Readonly<Fields> = { type: 'object', properties: {} }

/** The provider: its name, what its model does not support, and which tools it has besides functions. */
type ToolContext = { provider: string; traits: ModelTraits | undefined; isOwn?: (tool: Fields) => boolean }

export function requestedTools(fields: RequestFields, context: ToolContext, notes: Notes): RequestedTools {
  const { provider, traits, isOwn = () => false } = context
  const listed = fields.tools ?? []
  const own = listed.filter(isOwn)
  const tools = [
    ...listed.flatMap((tool, at) => (isOwn(tool) ? [] : toolIn(tool, ['tools', at], provider, notes))),
    ...(fields.functions ?? []).map((declared, at) => declaredIn(declared, ['functions', at], provider)),
  ]
  if (tools.length + own.length === 0) return { tools, own, choice: undefined }
  needs('tools', traits, ['tools'], provider)
  const choice = requestedChoice(fields, provider)
  refuseMissing([...tools, ...own], choice, provider)
  return { tools, own, choice: choice && forcible(choice, traits, notes) }
}

/** The tools that may be called. */
export function callable({ tools, choice }: RequestedTools): RequestedTool[] {
  if (!choice?.allowed) return tools
  const allowed = new Set<unknown>(choice.allowed)
  return tools.filter(({ name }) => allowed.has(name))
}

function toolIn(tool: Fields, loc: Loc, provider: string, notes: Notes): RequestedTool {
  const marker = tool.cache_control ?? (isRecord(tool.function) ? tool.function.cache_control : undefined)
  const declared = declarationIn(tool, loc, provider, notes)
  return isRecord(marker) ? { ...declared, cacheControl: marker as CacheControl } : declared
}

function declarationIn(tool: Fields, loc: Loc, provider: string, notes: Notes): RequestedTool {
  if (isRecord(tool.custom)) return customIn(tool.custom, [...loc, 'custom'], provider, notes)
  const declared = clientFunction(tool, notes) ?? bareFunction(tool, notes)
  if (declared) return declaredIn(declared, loc, provider)
  if (tool.type !== undefined && tool.type !== 'function')
    throw cannotTake([...loc, 'type'], `${provider} cannot run "${textOf(tool.type)}": it accepts only functions`)
  return isRecord(tool.function)
    ? declaredIn(tool.function, [...loc, 'function'], provider)
    : declaredIn(tool, loc, provider)
}

function declaredIn({ name, description, parameters, strict }: Fields, loc: Loc, provider: string): RequestedTool {
  if (parameters != null && !isRecord(parameters))
    throw cannotTake([...loc, 'parameters'], `${provider} needs a JSON schema here`)
  return {
    name: named(name, loc, provider),
    description: textOf(description),
    parameters: parameters ?? undefined,
    strict: strict === true,
  }
}

/** A tool with free text input, with or without a grammar, becomes a function with one text. */
function customIn({ name, description }: Fields, loc: Loc, provider: string, notes: Notes): RequestedTool {
  notes.translated('tools.custom', 'this provider has functions only: the text became their `input`')
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
  return { name: named(name, loc, provider), description: textOf(description), parameters, strict: false }
}

function named(name: unknown, loc: Loc, provider: string): string {
  if (typeof name === 'string' && name) return name
  throw cannotTake([...loc, 'name'], `${provider} needs a name for every tool`)
}

function refuseMissing(tools: Fields[], choice: ToolChoice | undefined, provider: string): void {
  const required = choice?.allowed ?? (choice?.named ? [choice.named] : undefined)
  if (!required) return
  const names = new Set(tools.map(({ name }) => name))
  const missing = required.length === 0 ? '' : required.find((name) => !names.has(name))
  if (missing !== undefined) throw cannotTake(['tool_choice'], `there is no tool "${missing}" for ${provider} to call`)
}

function forcible(choice: ToolChoice, traits: ModelTraits | undefined, notes: Notes): ToolChoice {
  if (choice.mode !== 'required' || !traits?.refuses?.includes('tool_choice')) return choice
  notes.translated('tool_choice', 'this model cannot be forced to call a tool: it may call one')
  return { mode: 'auto', ...(choice.allowed && { allowed: choice.allowed }) }
}
