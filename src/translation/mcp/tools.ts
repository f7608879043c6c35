import type { Fields } from '../../base/schema/record.ts'

// Tools and their results, as `tools/list` and `tools/call` have them.

/** JSON Schema 2020-12 of an object. */
export type ObjectSchema = Fields & { type: 'object' }

export type Tool = {
  name: string
  title?: string
  description?: string
  inputSchema: ObjectSchema
  outputSchema?: Fields
  annotations?: ToolAnnotations
  _meta?: Fields
}

type ToolAnnotations = {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

type TextContent = { type: 'text'; text: string }
/** `data` is Base64. */
type MediaContent = { type: 'image' | 'audio'; data: string; mimeType: string }
export type ResourceLink = {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
}
type EmbeddedResource = { type: 'resource'; resource: Fields & { uri: string } }

export type ContentBlock = TextContent | MediaContent | ResourceLink | EmbeddedResource

/** What a tool answered. With `isError`, the text says to the model what went wrong. */
export type ToolResult = {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Fields
}

/** Names that every client accepts. */
export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

export function textResult(text: string, isError = false): ToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) }
}
