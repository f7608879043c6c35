import { type Fields, isRecord, listOf, recordOf } from '../../base/schema/record.ts'
import { invalidRequest } from './upstream-error.ts'

/** `legacy`: the request uses the deprecated `functions`, so the answer has `function_call` instead of `tool_calls`. */
export type CalledTool = { kind: 'function' | 'custom' | 'legacy'; name: string; schema: unknown }

/** The tool to call: the forced one, or else the first. */
export function calledTool(body: Fields): CalledTool | null {
  const tools = listOf(body.tools).flatMap(readTool)
  if (tools.length > 0) return choose(tools, body.tool_choice)
  const functions = listOf(body.functions).flatMap((value) => named('legacy', recordOf(value)))
  return choose(functions, body.function_call)
}

function readTool(value: unknown): CalledTool[] {
  const tool = recordOf(value)
  const { type, function: wrapped, custom } = tool
  if (isRecord(custom)) return named('custom', custom)
  // Clients of other formats do not wrap a function.
  const isBare = isRecord(tool.input_schema) || type === 'function'
  return named('function', isBare && !isRecord(wrapped) ? tool : recordOf(wrapped))
}

// Tools of a provider's own type have no name here and cannot be called.
function named(kind: CalledTool['kind'], { name, parameters, input_schema }: Fields): CalledTool[] {
  return typeof name === 'string' ? [{ kind, name, schema: parameters ?? input_schema }] : []
}

function choose(tools: CalledTool[], choice: unknown): CalledTool | null {
  if (choice === 'none') return null
  const requested = wantedNames(recordOf(choice))
  if (requested.size === 0) return tools[0] ?? null
  const found = tools.find(({ name }) => requested.has(name))
  if (found) return found
  throw invalidRequest(
    `tool_choice names ${JSON.stringify([...requested][0])}, which is not among the tools.`,
    'tool_choice',
  )
}

/** Whether the request leaves no choice but to call a tool. */
export function demandsCall({ tools, tool_choice, function_call }: Fields): boolean {
  const choice = listOf(tools).length > 0 ? tool_choice : function_call
  if (choice === 'required' || choice === 'any') return true
  const { allowed_tools } = recordOf(choice)
  return allowed_tools === undefined
    ? wantedNames(recordOf(choice)).size > 0
    : recordOf(allowed_tools).mode === 'required'
}

function wantedNames(choice: Fields): Set<unknown> {
  const allowed = listOf(recordOf(choice.allowed_tools).tools).map(recordOf)
  return new Set([choice, ...allowed].map(nameIn).filter((name) => name !== undefined))
}

function nameIn(choice: Fields): unknown {
  return recordOf(choice.function).name ?? recordOf(choice.custom).name ?? choice.name
}
