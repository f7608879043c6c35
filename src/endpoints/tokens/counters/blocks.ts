import type { CountTokensRequest } from '../../../contract/tokens.ts'

// Reads the messages format for counters that use another format.

export type Fields = Readonly<Record<string, unknown>>

export function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : []
}

/** The texts of a system prompt, of a tool result or of a document. */
export function textIn(content: unknown): string {
  const texts = blocksOf(content).map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}

/** The source of an image or a document; a document of plain text counts as `text`. */
export function sourceOf({ source }: Fields) {
  const { type, media_type, data, url, content } = (source ?? {}) as Fields
  if (type === 'text') return { text: String(data ?? '') }
  if (type === 'content') return { text: textIn(content) }
  if (type === 'url') return { url: String(url ?? '') }
  return { data: String(data ?? ''), mediaType: String(media_type ?? 'application/octet-stream') }
}

/** Tools with a definition. Anthropic's own tools mean nothing to other providers. */
export function definedTools(tools: CountTokensRequest['tools']): Fields[] {
  return (tools ?? []).filter(({ input_schema }) => typeof input_schema === 'object' && input_schema !== null)
}
