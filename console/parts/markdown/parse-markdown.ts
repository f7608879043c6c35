import { type Inline, inlineOf } from './parse-inline.ts'

// Markdown as models write it, as data. Hostile texts are possible here, unlike in docs/: every step is bounded, links are
// http or https, and HTML stays the text that it is.

export type Block =
  | { kind: 'heading'; level: number; inside: Inline[] }
  | { kind: 'paragraph'; inside: Inline[] }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; heads: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' }

/** A longer text is shown as it is. */
export const MAX_MARKDOWN_CHARS = 100_000
const MAX_DEPTH = 6
const MAX_COLUMNS = 50

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/
const QUOTE = /^ {0,3}> ?/
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/
const DELIMITER = /^:?-+:?$/

export function parseMarkdown(text: string): Block[] {
  return blocksOf(text.replaceAll('\r\n', '\n').split('\n'), 0)
}

type Lines = readonly string[]
/** A block that begins at a line, and the line after it. */
type Read = [block: Block, next: number]

function blocksOf(lines: Lines, depth: number): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.trim() === '') at++
    else {
      const [block, next] = readBlock(lines, at, depth)
      blocks.push(block)
      at = next
    }
  }
  return blocks
}

function readBlock(lines: Lines, at: number, depth: number): Read {
  const line = lines[at]!
  const heading = HEADING.exec(line)
  if (heading) return [headingOf(heading), at + 1]
  if (FENCE.test(line)) return fenceAt(lines, at)
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1]
  if (isTable(lines, at)) return tableAt(lines, at)
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quoteAt(lines, at, depth)
  if (depth < MAX_DEPTH && ITEM.test(line)) return listAt(lines, at, depth)
  return paragraphAt(lines, at)
}

function headingOf([, marks, text]: RegExpExecArray): Block {
  const title = text!.replace(/ #+ *$/, '')
  return { kind: 'heading', level: marks!.length, inside: inlineOf(title) }
}

/** While an answer arrives, the end of its last program is still missing. */
function fenceAt(lines: Lines, at: number): Read {
  const [, fence, language = ''] = FENCE.exec(lines[at]!)!
  const indent = lines[at]!.indexOf(fence!)
  const own: string[] = []
  let next = at + 1
  for (; next < lines.length && !closes(lines[next]!, fence!); next++) own.push(withoutIndent(lines[next]!, indent))
  return [{ kind: 'code', language: language.toLowerCase(), text: own.join('\n') }, next + 1]
}

function closes(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text.startsWith(fence) && text === fence[0]!.repeat(text.length)
}

function withoutIndent(line: string, most: number): string {
  let count = 0
  while (count < most && line[count] === ' ') count++
  return line.slice(count)
}

function isTable(lines: Lines, at: number): boolean {
  const [head, delimiter] = [lines[at]!, lines[at + 1] ?? '']
  if (!head.includes('|') || !delimiter.includes('-') || !delimiter.includes('|')) return false
  const cells = cellsOf(delimiter)
  return cells.every((cell) => DELIMITER.test(cell)) && cells.length === cellsOf(head).length
}

function tableAt(lines: Lines, at: number): Read {
  const heads = cellsOf(lines[at]!).map((cell) => inlineOf(cell))
  const rows: Inline[][][] = []
  let next = at + 2
  for (; next < lines.length && lines[next]!.includes('|'); next++) {
    const cells = cellsOf(lines[next]!)
    rows.push(heads.map((_, column) => inlineOf(cells[column] ?? '')))
  }
  return [{ kind: 'table', heads, rows }, next]
}

function cellsOf(line: string): string[] {
  const cells: string[] = []
  let cell = ''
  const text = line.trim().replace(/^\|/, '')
  for (let at = 0; at < text.length && cells.length < MAX_COLUMNS; at++) {
    if (text[at] === '\\' && text[at + 1] === '|') cell += text[++at]
    else if (text[at] === '|') {
      cells.push(cell.trim())
      cell = ''
    } else cell += text[at]
  }
  return cell.trim() === '' ? cells : [...cells, cell.trim()]
}

function quoteAt(lines: Lines, at: number, depth: number): Read {
  let next = at
  while (next < lines.length && QUOTE.test(lines[next]!)) next++
  const own = lines.slice(at, next).map((line) => line.replace(QUOTE, ''))
  return [{ kind: 'quote', blocks: blocksOf(own, depth + 1) }, next]
}

function listAt(lines: Lines, at: number, depth: number): Read {
  const [, , mark = ''] = ITEM.exec(lines[at]!)!
  const start = /\d/.test(mark) ? Number.parseInt(mark, 10) : undefined
  const items: Block[][] = []
  let next = at
  while (next < lines.length && isItem(lines[next]!, start !== undefined)) {
    const width = ITEM.exec(lines[next]!)![0].length
    const end = itemEnd(lines, next, width)
    const own = lines
      .slice(next, end)
      .map((line, index) => (index === 0 ? line.slice(width) : withoutIndent(line, width)))
    items.push(blocksOf(own, depth + 1))
    next = end
    while (lines[next]?.trim() === '' && isItem(lines[next + 1] ?? '', start !== undefined)) next++
  }
  return [{ kind: 'list', start, items }, next]
}

function isItem(line: string, isOrdered: boolean): boolean {
  const found = ITEM.exec(line)
  return found !== null && !RULE.test(line) && /\d/.test(found[2]!) === isOrdered
}

/** An item goes on with lines that are further to the right, and with the lines of its own paragraph. */
function itemEnd(lines: Lines, at: number, width: number): number {
  const indent = ' '.repeat(Math.min(width, 2))
  let end = at + 1
  for (; end < lines.length; end++) {
    const line = lines[end]!
    if (line.trim() === '') {
      if (!lines[end + 1]?.startsWith(indent)) break
    } else if (!line.startsWith(indent) && startsBlock(lines, end)) break
  }
  return end
}

function paragraphAt(lines: Lines, at: number): Read {
  let end = at + 1
  while (end < lines.length && lines[end]!.trim() !== '' && !startsBlock(lines, end)) end++
  const text = lines.slice(at, end).map((line) => line.trim())
  return [{ kind: 'paragraph', inside: inlineOf(text.join('\n')) }, end]
}

function startsBlock(lines: Lines, at: number): boolean {
  const line = lines[at]!
  return [HEADING, FENCE, ITEM, QUOTE, RULE].some((pattern) => pattern.test(line)) || isTable(lines, at)
}
