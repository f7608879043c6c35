import type { Call } from '../../calls/call.ts'
import type { Fields } from '../../base/schema/record.ts'

export type Source = { url: string; title: string }

/** What a tool has found, as the model is told. */
export type ToolOutcome = { text: string; isError?: boolean | undefined; sources?: Source[] | undefined }

/** What a tool may ask about the conversation that it is called in. */
export type Conversation = {
  /** Whether the user or a result has written this; what only the model has written does not count. */
  mentions(text: string): boolean
}

/** A tool that the gateway runs when a model calls it. */
export type GatewayTool = {
  kind: 'mcp' | 'search' | 'fetch'
  /** The function that stands for it in the requests to models. */
  functionName: string
  /** Its own name, and the MCP server that it belongs to. */
  name: string
  server: string
  description: string
  /** JSON Schema of its input. */
  parameters: Fields
  /** The caller wants to be asked before each call. */
  needsApproval: boolean
  /** How often it may be called for one answer. */
  maxUses?: number | undefined
  /**
   * Makes one call, as a part of the caller's own: it reserves, orders and pays by itself, within a time of its own, and ends when the
   * signal of the call is raised.
   */
  run(input: Fields, call: Call, conversation: Conversation): Promise<ToolOutcome>
}
