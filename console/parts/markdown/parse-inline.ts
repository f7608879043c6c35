export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong'; inside: Inline[] }
  | { kind: 'emphasis'; inside: Inline[] }
  | { kind: 'deleted'; inside: Inline[] }
  | { kind: 'link'; href: string; inside: Inline[] }
  | { kind: 'break' }

/** How far the end of a mark is looked for, so that the time is proportional to the text. */
const MAX_SPAN_CHARS = 2_000
const MAX_ENDS_TRIED = 16
const MAX_DEPTH = 6

const MARKS = { '**': 'strong', __: 'strong', '~~': 'deleted', '*': 'emphasis', _: 'emphasis' } as const
type Mark = keyof typeof MARKS
const SPECIAL = /[`*_~[!h\\\n]/g
const ADDRESS = /https?:\/\/[^\s<>"'`]+/y
const ESCAPED = /[\\`*_{}[\]()#+.!|<>~-]/
const WORD = /\w/

/** What stands at a place, and where it ends. */
type Found = { part: Inline; end: number }

/** The parts of a text: code, links, bold, emphasized and deleted parts, and the ends of lines. */
export function inlineOf(text: string, depth = 0): Inline[] {
  const parts: Inline[] = []
  let done = 0
  const pattern = new RegExp(SPECIAL)
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const found = partAt(text, match.index, depth)
    if (!found) continue
    if (match.index > done) parts.push(text.slice(done, match.index))
    parts.push(found.part)
    done = found.end
    pattern.lastIndex = done
  }
  if (done < text.length) parts.push(text.slice(done))
  return parts
}

function partAt(text: string, at: number, depth: number): Found | undefined {
  switch (text[at]) {
    case '\n':
      return { part: { kind: 'break' }, end: at + 1 }
    case '\\':
      return ESCAPED.test(text[at + 1] ?? '') ? { part: text[at + 1]!, end: at + 2 } : undefined
    case '`':
      return codeAt(text, at)
    case 'h':
      return addressAt(text, at)
    case '!':
      return text[at + 1] === '[' ? linkAt(text, at + 1, depth) : undefined
    case '[':
      return linkAt(text, at, depth)
    default:
      return depth < MAX_DEPTH ? markedAt(text, at, depth) : undefined
  }
}

/** As many backticks end it as began it. A run that nothing ends is a text, and is not looked at again. */
function codeAt(text: string, at: number): Found {
  const ticks = runOf(text, at, '`')
  const limit = at + ticks.length + MAX_SPAN_CHARS
  for (let end = text.indexOf(ticks, at + ticks.length); end >= 0 && end < limit; ) {
    const closing = runOf(text, end, '`')
    if (closing.length === ticks.length) {
      const code = text.slice(at + ticks.length, end).replaceAll('\n', ' ')
      return { part: { kind: 'code', text: code.trim() || code }, end: end + ticks.length }
    }
    end = text.indexOf(ticks, end + closing.length)
  }
  return { part: ticks, end: at + ticks.length }
}

function runOf(text: string, at: number, character: string): string {
  let end = at
  while (text[end] === character) end++
  return text.slice(at, end)
}

function addressAt(text: string, at: number): Found | undefined {
  if (WORD.test(text[at - 1] ?? '')) return undefined
  ADDRESS.lastIndex = at
  const found = ADDRESS.exec(text)?.[0].slice(0, MAX_SPAN_CHARS)
  if (!found) return undefined
  const address = withoutEnd(found)
  const href = safeHref(address)
  return href === undefined ? undefined : { part: { kind: 'link', href, inside: [address] }, end: at + address.length }
}

/** The end of a sentence does not belong to the address in it. */
function withoutEnd(address: string): string {
  let end = address.length
  while (end > 0 && '.,;:!?)]}*_~'.includes(address[end - 1]!)) end--
  return address.slice(0, end)
}

/** `[label](https://…)`. An image becomes a link as well: the console loads nothing of other hosts. */
function linkAt(text: string, at: number, depth: number): Found | undefined {
  const window = text.slice(at, at + MAX_SPAN_CHARS)
  const close = window.indexOf('](')
  const end = close < 0 ? -1 : window.indexOf(')', close)
  const label = window.slice(1, close)
  if (end < 0 || label.includes('[') || depth >= MAX_DEPTH) return undefined
  const href = safeHref(window.slice(close + 2, end).split(' ')[0]!)
  if (href === undefined) return undefined
  return { part: { kind: 'link', href, inside: label === '' ? [href] : inlineOf(label, MAX_DEPTH) }, end: at + end + 1 }
}

/** Undefined unless a browser would read it as an address of http or https. */
function safeHref(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined
  return URL.canParse(address) ? new URL(address).href : undefined
}

function markedAt(text: string, at: number, depth: number): Found | undefined {
  const twice = text.slice(at, at + 2)
  const mark = (twice in MARKS ? twice : text[at]) as Mark
  if (!(mark in MARKS)) return undefined
  const start = at + mark.length
  if (/\s|^$/.test(text[start] ?? '') || (mark.startsWith('_') && WORD.test(text[at - 1] ?? ''))) return undefined
  const end = endOf(text, start, mark)
  if (end === undefined) return undefined
  return { part: { kind: MARKS[mark], inside: inlineOf(text.slice(start, end), depth + 1) }, end: end + mark.length }
}

function endOf(text: string, start: number, mark: Mark): number | undefined {
  const window = text.slice(start, start + MAX_SPAN_CHARS)
  let end = window.indexOf(mark, 1)
  for (let tried = 0; end >= 0 && tried < MAX_ENDS_TRIED; tried++, end = window.indexOf(mark, end + 1)) {
    // Of three marks, the first one ends what is inside.
    if (mark.length === 2 && window[end + 2] === mark[0]) end++
    const after = window[end + mark.length] ?? ''
    const isInside = mark.length === 1 && (after === mark || window[end - 1] === mark)
    if (!/\s/.test(window[end - 1]!) && !isInside && !(mark.startsWith('_') && WORD.test(after))) return start + end
  }
  return undefined
}
