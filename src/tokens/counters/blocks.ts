import type { CountTokensRequest } from '../../contract/tokens.ts'

// Reading the messages format, for those who have to say it in other words.

export type Fields = Readonly<Record<string, unknown>>

export function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : []
}

/** What of a content is text: of a system prompt, of a tool's result, of a document. */
export function textIn(content: unknown): string {
  const texts = blocksOf(content).map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}

/** Where a picture or a document is: `text` when it is one in truth. */
export function sourceOf({ source }: Fields) {
  const { type, media_type, data, url, content } = (source ?? {}) as Fields
  if (type === 'text') return { text: String(data ?? '') }
  if (type === 'content') return { text: textIn(content) }
  if (type === 'url') return { url: String(url ?? '') }
  return { data: String(data ?? ''), mediaType: String(media_type ?? 'application/octet-stream') }
}

/** Tools with a definition; those of Anthropic's own mean nothing to others. */
export function definedTools(tools: CountTokensRequest['tools']): Fields[] {
  return (tools ?? []).filter(({ input_schema }) => typeof input_schema === 'object' && input_schema !== null)
}
