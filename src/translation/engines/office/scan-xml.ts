import { Unreadable } from '../pool/unreadable.ts'

// XML as a row of events, in one pass from the beginning to the end. Document types are refused: they are where entities
// that unfold to gigabytes are declared, and no office document has one.
//
// A library was tried instead (docs/dependencies.md has the figures). saxes and sax remember every open tag, so that 30 MB of
// `<a>`, which pack to 30 KB, exhaust the memory of the thread. With unknown entities, which have to be kept as they are,
// they need 12 s for 6 MB. On a real sheet saxes is 20 % faster than this and sax takes twice as long; saxes has no maintainer.

type XmlReader = {
  /** Names have no prefix, because the writer of a document chooses the prefixes. */
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}
/** By local name with any prefix. */
type Attributes = (name: string) => string | undefined

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const ENTITY = /&(#x[0-9a-f]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos);/gi
const HIGHEST_CHARACTER = 0x10ffff
/** Characters that end a tag or hide its end. */
const TAG_BATCH = /[>"']/g

export function scanXml(bytes: Uint8Array, reader: XmlReader): void {
  const xml = decoded(bytes)
  let at = 0
  for (;;) {
    const start = xml.indexOf('<', at)
    const text = xml.slice(at, start < 0 ? undefined : start)
    if (text !== '') reader.text?.(unescaped(text))
    if (start < 0) return
    at = scanMarkup(xml, start, reader)
  }
}

/** Returns the end position. */
function scanMarkup(xml: string, start: number, reader: XmlReader): number {
  if (xml.startsWith('<!--', start)) return endOf(xml, '-->', start)
  if (xml.startsWith('<?', start)) return endOf(xml, '?>', start)
  if (xml.startsWith('<![CDATA[', start)) {
    const end = endOf(xml, ']]>', start)
    reader.text?.(xml.slice(start + '<![CDATA['.length, end - ']]>'.length))
    return end
  }
  if (xml.startsWith('<!', start))
    throw new Unreadable('This document contains a document type declaration, which is not supported')
  const end = tagEnd(xml, start)
  readTag(xml.slice(start + 1, end - 1), reader)
  return end
}

function readTag(tag: string, reader: XmlReader): void {
  if (tag.startsWith('/')) return reader.close?.(localName(tag.slice(1)))
  const name = localName(tag)
  reader.open?.(name, (attribute) => attributeOf(tag, attribute))
  if (tag.endsWith('/')) reader.close?.(name)
}

function localName(tag: string): string {
  return /^(?:[^\s/:]*:)?([^\s/:]*)/.exec(tag)![1]!
}

function attributeOf(tag: string, name: string): string | undefined {
  const found = patternOf(name).exec(tag)
  return found ? unescaped(found[1] ?? found[2]!) : undefined
}

/** One pattern per attribute name; readers use about a dozen names. */
const patterns = new Map<string, RegExp>()

function patternOf(name: string): RegExp {
  const cached = patterns.get(name)
  if (cached) return cached
  const pattern = new RegExp(`\\s${name.replace(/^\w+:/, '[\\w.-]+:')}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  patterns.set(name, pattern)
  return pattern
}

function tagEnd(xml: string, start: number): number {
  TAG_BATCH.lastIndex = start
  for (;;) {
    const turn = TAG_BATCH.exec(xml)
    if (!turn) throw damaged()
    if (turn[0] === '>') return turn.index + 1
    TAG_BATCH.lastIndex = endOf(xml, turn[0], turn.index + 1)
  }
}

function endOf(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from)
  if (at < 0) throw damaged()
  return at + mark.length
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes
  const wide = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(wide).decode(bytes)
}

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(ENTITY, (whole, entity: string) => {
    if (!entity.startsWith('#')) return ENTITIES[entity.toLowerCase()]!
    const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
    return code <= HIGHEST_CHARACTER ? String.fromCodePoint(code) : whole
  })
}

function damaged() {
  return new Unreadable('This document is damaged: its markup is incomplete')
}
