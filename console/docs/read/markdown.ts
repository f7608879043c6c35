// The part of Markdown that docs/ uses, as data: the docs page makes elements of it, `npm run docs:site` makes HTML.

export type Inline = string | { code: string } | { strong: Inline[] } | { emphasis: Inline[] } | Link
type Link = { href: string; inside: Inline[] }
export type Block =
  | { kind: 'heading'; level: number; id: string; inside: Inline[] }
  | { kind: 'paragraph'; inside: Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: Block[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; heads: Inline[][]; rows: Inline[][][] }
  | { kind: 'details'; summary: Inline[]; blocks: Block[] }

const FENCE = /^```(\w*)\s*$/
const HEADING = /^(#{1,6}) (.+)$/
const ITEM = /^(?:[-*]|\d+\.) +/
const INDENTED = /^ {4}/
const ROW_END = /^\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/

export function parseMarkdown(text: string): Block[] {
  return blocksOf(text.replace(/<!--.*?-->\n?/gs, '').split('\n'), new Map())
}

/** The text of a part without its marks, for titles and for the search. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if ('code' in part) return part.code
      return plainText('strong' in part ? part.strong : 'emphasis' in part ? part.emphasis : part.inside)
    })
    .join('')
}

type Ids = Map<string, number>
/** A block that begins at a line, and the line after it. */
type Read = [block: Block | undefined, next: number]

function blocksOf(lines: readonly string[], ids: Ids): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.trim() === '') {
      at++
      continue
    }
    const [block, next] = readBlock(lines, at, ids)
    if (block) blocks.push(block)
    at = next
  }
  return blocks
}

function readBlock(lines: readonly string[], at: number, ids: Ids): Read {
  const line = lines[at]!
  const heading = HEADING.exec(line)
  if (heading) return [headingOf(heading[1]!.length, heading[2]!, ids), at + 1]
  if (FENCE.test(line)) return fenceAt(lines, at)
  if (line.startsWith('<details>')) return detailsAt(lines, at, ids)
  if (isTable(lines, at)) return tableAt(lines, at)
  if (ITEM.test(line)) return listAt(lines, at, ids)
  if (INDENTED.test(line)) return indentedAt(lines, at)
  return paragraphAt(lines, at)
}

function headingOf(level: number, text: string, ids: Ids): Block {
  const inside = inlineOf(text)
  return { kind: 'heading', level, id: idOf(plainText(inside), ids), inside }
}

/** As GitHub names its headings, so that the same links work there. */
function idOf(title: string, ids: Ids): string {
  const plain = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
  const count = ids.get(plain) ?? 0
  ids.set(plain, count + 1)
  return count === 0 ? plain : `${plain}-${count}`
}

function fenceAt(lines: readonly string[], at: number): Read {
  const end = lines.findIndex((line, index) => index > at && line.trimEnd() === '```')
  const last = end < 0 ? lines.length : end
  return [{ kind: 'code', language: FENCE.exec(lines[at]!)![1]!, text: lines.slice(at + 1, last).join('\n') }, last + 1]
}

function indentedAt(lines: readonly string[], at: number): Read {
  const end = endOf(lines, at, (line) => INDENTED.test(line))
  return [
    {
      kind: 'code',
      language: '',
      text: lines
        .slice(at, end)
        .map((line) => line.slice(4))
        .join('\n'),
    },
    end,
  ]
}

function detailsAt(lines: readonly string[], at: number, ids: Ids): Read {
  const end = lines.findIndex((line, index) => index >= at && line.includes('</details>'))
  const [, summary = '', rest = ''] = /<summary>(.*?)<\/summary>(.*)/s.exec(lines.slice(at, end).join('\n')) ?? []
  const blocks = blocksOf(rest.split('\n'), ids)
  return [{ kind: 'details', summary: inlineOf(summary), blocks }, (end < 0 ? lines.length : end) + 1]
}

function isTable(lines: readonly string[], at: number): boolean {
  return lines[at]!.startsWith('|') && ROW_END.test(lines[at + 1] ?? '')
}

function tableAt(lines: readonly string[], at: number): Read {
  const end = endOf(lines, at, (line) => line.startsWith('|'))
  const [heads, , ...rows] = lines.slice(at, end).map(cellsOf)
  return [{ kind: 'table', heads: heads!, rows }, end]
}

function cellsOf(line: string): Inline[][] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
  return cells.map((cell) => inlineOf(cell.trim().replaceAll('\\|', '|')))
}

function listAt(lines: readonly string[], at: number, ids: Ids): Read {
  const items: Block[][] = []
  const isOrdered = /^\d/.test(lines[at]!)
  let next = at
  while (next < lines.length && ITEM.test(lines[next]!)) {
    const width = ITEM.exec(lines[next]!)![0].length
    const end = itemEnd(lines, next, width)
    const own = lines
      .slice(next, end)
      .map((line, index) => (index === 0 ? line.slice(width) : line.replace(inset(width), '')))
    items.push(blocksOf(own, ids))
    next = end
    if (lines[next]?.trim() === '' && ITEM.test(lines[next + 1] ?? '')) next++
  }
  return [{ kind: 'list', isOrdered, items }, next]
}

function inset(width: number): RegExp {
  return new RegExp(`^ {0,${width}}`)
}

/** An item goes on with lines that are further to the right, and with the lines of its own paragraph. */
function itemEnd(lines: readonly string[], at: number, width: number): number {
  let end = at + 1
  for (; end < lines.length; end++) {
    const line = lines[end]!
    const isInside = line.startsWith(' '.repeat(Math.min(width, 2)))
    if (line.trim() === '') {
      if (!lines[end + 1]?.startsWith(' '.repeat(Math.min(width, 2)))) break
    } else if (!isInside && (ITEM.test(line) || startsBlock(lines, end))) break
  }
  return end
}

function paragraphAt(lines: readonly string[], at: number): Read {
  let end = at + 1
  while (end < lines.length && lines[end]!.trim() !== '' && !ITEM.test(lines[end]!) && !startsBlock(lines, end)) end++
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join(' ')
  return [{ kind: 'paragraph', inside: inlineOf(text) }, end]
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at]!
  return HEADING.test(line) || FENCE.test(line) || line.startsWith('<details>') || isTable(lines, at)
}

function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && goesOn(lines[end]!)) end++
  return end
}

/** Code first: nothing in it has a meaning. Then pictures, links, bold and emphasized parts. */
const INLINE =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>(?!`)|!\[(?<alt>[^\]]*)\]\([^)\s]+\)|\[(?<label>(?:`[^`]*`|[^\]])+)\]\((?<href>[^)\s]+)\)|\*\*(?<strong>.+?)\*\*|(?<![\w*])\*(?<star>[^*\s][^*]*?)\*(?![\w*])|(?<!\w)_(?<line>[^_\s][^_]*?)_(?!\w)|\\(?<escaped>[\\`*_{}[\]()#+.!|<>-])/gs

function inlineOf(text: string): Inline[] {
  const parts: Inline[] = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push(partOf(match.groups!))
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

function partOf({ code, alt, label, href, strong, star, line, escaped }: Partial<Record<string, string>>): Inline {
  if (code !== undefined) return { code: code.trim() }
  if (alt !== undefined) return { emphasis: [alt] }
  if (href !== undefined) return { href, inside: inlineOf(label!) }
  if (strong !== undefined) return { strong: inlineOf(strong) }
  return escaped ?? { emphasis: inlineOf((star ?? line)!) }
}
