import type { ContentPart } from '../../../contract/chat.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'

/** The blocks of a user or a tool as content parts. Blocks that only providers of this format understand are dropped. */
export function contentParts(blocks: readonly Fields[]): ContentPart[] {
  return blocks.flatMap((block) => {
    const parts = partsOf(block)
    const last = parts.at(-1)
    if (last && isRecord(block.cache_control)) last.cache_control = block.cache_control as ContentPart['cache_control']
    return parts
  })
}

function partsOf(block: Fields): ContentPart[] {
  if (block.type === 'text') return textPart(block.text)
  if (block.type === 'image') return imagePart(recordOf(block.source))
  if (block.type === 'document') return documentParts(block)
  if (block.type === 'search_result') return searchResult(block)
  return []
}

function textPart(text: unknown): ContentPart[] {
  return textOf(text) === '' ? [] : [{ type: 'text', text: textOf(text) }]
}

function imagePart(source: Fields): ContentPart[] {
  if (source.type === 'file') return [{ type: 'file', file: { file_id: textOf(source.file_id) } }]
  const url = source.type === 'url' ? textOf(source.url) : dataUrl(source)
  return [{ type: 'image_url', image_url: { url } }]
}

function documentParts(block: Fields): ContentPart[] {
  const source = recordOf(block.source)
  const filename = textOf(block.title) ? { filename: textOf(block.title) } : {}
  if (source.type === 'text') return textPart(wrapped(textOf(source.data), block))
  if (source.type === 'content') return innerParts(source.content)
  if (source.type === 'base64') return [{ type: 'file', file: { file_data: dataUrl(source), ...filename } }]
  const file_id = textOf(source.type === 'url' ? source.url : source.file_id)
  return [{ type: 'file', file: { file_id, ...filename } }]
}

function innerParts(content: unknown): ContentPart[] {
  return typeof content === 'string' ? textPart(content) : contentParts(recordsIn(content))
}

/** Every model reads text; few accept a text as a file. */
function wrapped(text: string, { title, context }: Fields): string {
  const about = [textOf(title) && ` title=${JSON.stringify(title)}`, textOf(context) && `\n${textOf(context)}\n`]
  return `<document${about[0]}>${about[1]}\n${text}\n</document>`
}

function searchResult({ title, source, content }: Fields): ContentPart[] {
  const text = recordsIn(content).map((block) => textOf(block.text))
  return textPart([`${textOf(title)} (${textOf(source)})`, ...text].join('\n'))
}

function dataUrl({ media_type, data }: Fields): string {
  return `data:${textOf(media_type)};base64,${textOf(data)}`
}
