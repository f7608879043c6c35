import type { Family } from './family.ts'
import { sizeOfImage, DEFAULT_SIZE } from './image-size.ts'
import { pagesOfPdf } from './pdf-pages.ts'
import type { Sheet } from './sheet.ts'

type Measuring = { family: Family; sheet: Sheet; countsReasoning: boolean }
type Block = Readonly<Record<string, unknown>>

/** A content: text, or a list of blocks. */
export function measureBlocks(content: unknown, measuring: Measuring): void {
  if (!Array.isArray(content)) return measuring.sheet.text(content)
  for (const block of content) {
    if (typeof block === 'string') measuring.sheet.text(block)
    else if (isBlock(block)) (BY_TYPE.get(block.type) ?? other)(block, measuring)
  }
}

type Measurer = (block: Block, measuring: Measuring) => void

/** A map and not an object, because callers choose the names. */
const BY_TYPE = new Map<unknown, Measurer>([
  ['text', ({ text }, { sheet }) => sheet.text(text)],
  ['image', ({ source }, { family, sheet }) => sheet.add(family.image(sizeOf(source)))],
  ['document', document],
  ['tool_use', toolUse],
  ['server_tool_use', toolUse],
  ['tool_result', toolResult],
  ['thinking', thinking],
  // Only their maker knows their length.
  ['redacted_thinking', () => undefined],
])

function thinking({ thinking }: Block, { sheet, countsReasoning }: Measuring): void {
  if (countsReasoning) sheet.text(thinking)
}

function toolUse({ name, input }: Block, { family, sheet }: Measuring): void {
  sheet.add(family.perToolUse)
  sheet.text(name)
  sheet.json(input)
}

function toolResult({ content }: Block, measuring: Measuring): void {
  measuring.sheet.add(measuring.family.perToolResult)
  measureBlocks(content, measuring)
}

function document({ source, title, context }: Block, measuring: Measuring): void {
  const { family, sheet } = measuring
  sheet.text(title)
  sheet.text(context)
  if (!isBlock(source)) return
  const { type, data, content, media_type } = source
  if (type === 'text') sheet.text(data)
  else if (type === 'content') measureBlocks(content, measuring)
  else if (String(media_type).startsWith('text/')) sheet.text(Buffer.from(String(data), 'base64').toString())
  // A URL or an id does not reveal the number of pages.
  else sheet.add(family.perPdfPage * (type === 'base64' ? pagesOfPdf(String(data)) : 1))
}

function other(block: Block, { sheet }: Measuring): void {
  sheet.json(block)
}

function sizeOf(source: unknown) {
  return isBlock(source) && typeof source.data === 'string' ? sizeOfImage(source.data) : DEFAULT_SIZE
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null
}
