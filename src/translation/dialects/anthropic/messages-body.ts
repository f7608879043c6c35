import type { Effort, ThinkingConfig } from '../claude-thinking.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { Turn as SomeTurn } from '../turns.ts'

// The body of `POST /v1/messages`, as far as it is used here. The test beside it compares it with Anthropic's own types.

export type MessagesBody = {
  model: string
  max_tokens: number
  messages: Turn[]
  system?: string | TextBlock[]
  tools?: Tool[]
  tool_choice?: ToolChoice
  thinking?: ThinkingConfig
  output_config?: { effort?: Effort; format?: JsonFormat }
  temperature?: number
  top_p?: number
  stop_sequences?: string[]
  stream?: boolean
  metadata?: { user_id: string }
  service_tier?: 'auto' | 'standard_only'
}

export type Turn = SomeTurn<Block>

export type CacheMark = { type: 'ephemeral'; ttl?: '5m' | '1h' }
type Markable = { cache_control?: CacheMark }

export type TextBlock = Markable & { type: 'text'; text: string }
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
export type ImageBlock = Markable & {
  type: 'image'
  source: { type: 'base64'; media_type: ImageType; data: string } | UrlSource
}
export type DocumentBlock = Markable & {
  type: 'document'
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'file'; file_id: string }
    | UrlSource
  title?: string
}
type UrlSource = { type: 'url'; url: string }

export type ToolUseBlock = Markable & { type: 'tool_use'; id: string; name: string; input: Fields }
export type ToolResultBlock = Markable & {
  type: 'tool_result'
  tool_use_id: string
  content?: string | ContentBlock[]
  is_error?: boolean
}
export type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

export type ContentBlock = TextBlock | ImageBlock | DocumentBlock
export type MarkableBlock = ContentBlock | ToolUseBlock | ToolResultBlock
export type Block = MarkableBlock | ThinkingBlock

export type Tool = FunctionTool | WebSearchTool
export type FunctionTool = Markable & {
  name: string
  description?: string
  input_schema: { type: 'object'; [keyword: string]: unknown }
  strict?: boolean
}
export type WebSearchTool = Markable & {
  type: 'web_search_20250305'
  name: 'web_search'
  max_uses?: number
  allowed_domains?: string[]
  user_location?: { type: 'approximate'; city?: string; region?: string; country?: string; timezone?: string }
}

export type ToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' }

export type JsonFormat = { type: 'json_schema'; schema: Fields }
