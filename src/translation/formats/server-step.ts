import type { Fields } from '../../base/schema/record.ts'

// What providers did by themselves while they answered, in one form for all formats that have items of their own for it.

export type StepKind = 'search' | 'fetch' | 'code' | 'mcp' | 'mcp tools' | 'approval'

export type ServerStep = {
  kind: StepKind
  /** The tool, and the MCP server that it belongs to. */
  name: string
  mcpServer: string
  input: Fields
  /** Undefined while there is no result. */
  output?: string | undefined
  isError: boolean
  sources: { url: string; title: string }[]
  /** Ids of files that the code wrote. */
  files: string[]
  tools: Fields[]
}

/** An item that already has the form of the responses format. */
export type ResponsesItem = { item: Fields }

export function newStep(kind: StepKind, fields: Partial<ServerStep>): ServerStep {
  return { kind, name: '', mcpServer: '', input: {}, isError: false, sources: [], files: [], tools: [], ...fields }
}

export function isStep(step: ServerStep | ResponsesItem): step is ServerStep {
  return 'kind' in step
}

/** How one maker's block continues the steps; `pending` are those without a result, by their id. */
export type ReadBlock = (block: Fields, pending: Map<string, ServerStep>) => (ServerStep | ResponsesItem)[]
