// Detects HTML, SVG and XML by their first element. HTML counts in any encoding, because a browser would run it in any.

const LOOKED_AT_CHARS = 8_192
const MAX_PROLOGUE_ITEMS = 50

/** Elements that a browser accepts as the beginning of a page, even without `<html>` around them. */
const HTML_ELEMENTS = new Set(
  (
    'html head body script iframe h1 h2 h3 h4 div font table a style title b br p img form meta link base span ul ol ' +
    'center frameset object embed video audio input button pre noscript template main section article nav header footer'
  ).split(' '),
)

/** What may precede the first element. */
const PROLOGUE = /^\s*(<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype\s+([\w:.-]+)(?:[^>[]|\[[\s\S]*?\]\s*(?=>))*>)/i
const ELEMENT = /^\s*<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(?=[\s/>])/

export function markupType(head: Buffer): string | undefined {
  const text = decodeStart(head)
  return /^\s*</.test(text) ? typeOf(text) : undefined
}

function typeOf(text: string): string | undefined {
  let rest = text
  const xml = /^\s*<\?xml\s/i.test(text)
  for (let item = 0; item < MAX_PROLOGUE_ITEMS; item++) {
    const [whole, , doctype] = PROLOGUE.exec(rest) ?? []
    if (whole === undefined) break
    if (doctype?.toLowerCase() === 'html') return 'text/html'
    if (doctype?.toLowerCase() === 'svg') return 'image/svg+xml'
    rest = rest.slice(whole.length)
  }
  return elementType(rest) ?? (xml ? 'application/xml' : undefined)
}

function elementType(text: string): string | undefined {
  const name = ELEMENT.exec(text)?.[2]
  if (name === undefined) return undefined
  if (name.toLowerCase() === 'svg') return 'image/svg+xml'
  if (HTML_ELEMENTS.has(name.toLowerCase())) return 'text/html'
  return text.includes(`</`) || text.includes('/>') ? 'application/xml' : undefined
}

/** Markup itself is ASCII. How other characters are decoded does not matter here. */
function decodeStart(head: Buffer): string {
  const start = head.subarray(0, LOOKED_AT_CHARS * 2)
  if (start[0] === 0xff && start[1] === 0xfe) return start.toString('utf16le', 2)
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be').decode(start)
  const from = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0
  return start.toString('latin1', from, from + LOOKED_AT_CHARS)
}
