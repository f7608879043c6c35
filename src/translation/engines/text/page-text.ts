import type { Engines } from '../../engine-api/engines.ts'

/** Elements whose content is not text of the page. */
const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head'])
/** Elements that begin a new line. */
const BLOCKS = /^(p|div|br|li|tr|h[1-6]|section|article|header|footer|ul|ol|table|blockquote|pre|hr|dt|dd|main|nav)$/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const MAX_TITLE_CHARS = 300

/** Each character is looked at a few times, however the page is nested or broken. */
export function pageText({ html }: Engines['web_page']['input']): Engines['web_page']['output'] {
  const pieces: string[] = []
  let title = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    pieces.push(html.slice(at, open === -1 ? undefined : open))
    if (open === -1) break
    const close = html.startsWith('<!--', open) ? endOf(html, '-->', open) : endOf(html, '>', open)
    const [, slash, name = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 20)) ?? []
    const tag = name.toLowerCase()
    at = close
    if (tag === 'title' && !slash) title ||= html.slice(close, close + MAX_TITLE_CHARS).split('<', 1)[0]!
    if (BLOCKS.test(tag)) pieces.push('\n')
    // The title stands in the head.
    if (LEFT_OUT.has(tag) && !slash && tag !== 'head') at = afterElement(html, tag, close)
    if (tag === 'title' && !slash) at = afterElement(html, tag, close)
  }
  return { title: decoded(title).trim(), text: tidied(decoded(pieces.join(''))) }
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}

/** Without its end, the rest of the page belongs to it, so nothing is searched twice. */
function afterElement(html: string, tag: string, from: number): number {
  const end = new RegExp(`</${tag}`, 'gi')
  end.lastIndex = from
  const found = end.exec(html)
  return found ? endOf(html, '>', found.index) : html.length
}

function decoded(text: string): string {
  return text.replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\r\f\v\u00a0]+/g, ' ').trim())
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '')
    .join('\n')
    .trim()
}
