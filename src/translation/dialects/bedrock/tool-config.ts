import { type RequestedTool, type RequestedTools, callable, NO_PARAMETERS } from '../request/requested-tools.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, recordOf, textOf } from '../../../base/schema/record.ts'
import { cachePoint } from './cache-points.ts'
import type { WireMessage } from './conversation.ts'
import { isServerCall } from './provider-content.ts'
import { vendorOf } from './vendor.ts'

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

export type ToolConfig = {
  tools: Fields[]
  toolChoice?: Fields | undefined
  /** A call has to be made. */
  forced: boolean
  /** Settings that Bedrock lacks and the vendor of the model has. */
  own: Fields
}

type ToolUse = { requested: RequestedTools; parallel: boolean | undefined; messages: readonly WireMessage[] }

/** Undefined if the model is offered no tools. */
export function toToolConfig(
  { requested, parallel, messages }: ToolUse,
  target: Target,
  notes: Notes,
): ToolConfig | undefined {
  const tools = toolsFor(requested, messages, notes)
  if (tools.length === 0) return undefined
  const forced = requested.choice?.mode === 'required'
  if (parallel === false && vendorOf(target) === 'anthropic')
    return { tools, forced, own: { tool_choice: claudeChoice(requested) } }
  if (parallel === false) notes.dropped('parallel_tool_calls', 'this model does not support it on Amazon Bedrock')
  return { tools, forced, own: {}, toolChoice: choiceOf(requested) }
}

/** Bedrock requires declared tools as soon as the conversation contains a call, even if no more calls are allowed. */
function toolsFor(requested: RequestedTools, messages: readonly WireMessage[], notes: Notes): Fields[] {
  const used = usedTools(messages)
  const isForbidden = requested.choice?.mode === 'none'
  if (isForbidden && used.length === 0) return []
  if (isForbidden) notes.translated('tool_choice', 'Amazon Bedrock does not support "none" once tools have been called')
  const tools = callable(requested)
  if (tools.length > 0 || used.length === 0) return tools.flatMap((tool) => specOf(tool, notes))
  notes.translated('tools', 'Amazon Bedrock requires a declaration of the tools that the conversation has called')
  return used.flatMap((name) => specOf({ name, description: '', parameters: { type: 'object' }, strict: false }, notes))
}

function usedTools(messages: readonly WireMessage[]): string[] {
  const calls = messages.flatMap(({ content }) => content.map(({ toolUse }) => toolUse))
  const names = calls.filter((call) => !isServerCall(call)).map((call) => textOf(recordOf(call).name))
  return [...new Set(names)].filter(Boolean)
}

function specOf({ name, description, parameters, strict, cacheControl }: RequestedTool, notes: Notes): Fields[] {
  if (!TOOL_NAME.test(name))
    throw cannotTake(['tools'], `Amazon Bedrock accepts names of up to 64 letters, digits, _ and -, not "${name}"`)
  const toolSpec = {
    name,
    ...(description && { description }),
    inputSchema: { json: parameters ?? NO_PARAMETERS },
    ...(strict && { strict }),
  }
  return cacheControl ? [{ toolSpec }, cachePoint(cacheControl, notes)] : [{ toolSpec }]
}

function choiceOf({ choice }: RequestedTools): Fields | undefined {
  if (choice?.mode !== 'required') return undefined
  return choice.named ? { tool: { name: choice.named } } : { any: {} }
}

/** In Claude's own format, which replaces Bedrock's: both together are refused. */
function claudeChoice({ choice }: RequestedTools): Fields {
  const named = choice?.named ? { type: 'tool', name: choice.named } : { type: 'any' }
  return { ...(choice?.mode === 'required' ? named : { type: 'auto' }), disable_parallel_tool_use: true }
}
