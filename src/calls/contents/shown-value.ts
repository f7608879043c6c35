import { Buffer } from 'node:buffer'

// What is kept of a JSON value: its texts, cut to a length, without secrets, and without the bytes of images, files and audio.

const MAX_TEXTS = 2_000
/** Of all texts together. */
const MAX_CHARS = 1_000_000
const MAX_DEPTH = 32
const MAX_ITEMS = 1_000
/** What is longer is cut before it is looked at. */
const LOOKED_AT = 1_000_000
/** Personal data at the cut is found if a little more than what is kept is searched. */
const MARGIN_CHARS = 512
const LEAST_BASE64 = 512
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const DATA_URL = /data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w=.+-]{1,60}){0,4},[A-Za-z0-9+/_=%-]{0,1000000}/g
/** Fields of tools and hooks that carry credentials. */
const SECRET = /^(?:authorization|headers|api[-_]?key|password|secret|token|access[-_]token)$/i
const HIDDEN = '[hidden]'
const OMITTED = '[omitted]'

/** A copy of the value in which no text is much longer than what is kept, and how many characters it has. */
export function shownValue(value: unknown, bytes: number): { value: unknown; chars: number } {
  let [texts, chars] = [0, 0]
  return { value: shown(value, 0), chars }

  function shown(one: unknown, depth: number): unknown {
    if (texts >= MAX_TEXTS || chars >= MAX_CHARS) return OMITTED
    if (typeof one === 'string') return counted(shownText(one, bytes))
    if (typeof one !== 'object' || one === null) return one
    if (depth >= MAX_DEPTH) return OMITTED
    if (Array.isArray(one)) return one.slice(0, MAX_ITEMS).map((item) => shown(item, depth + 1))
    const members = Object.entries(one).slice(0, MAX_ITEMS)
    return Object.fromEntries(
      members.map(([name, member]) => [
        name.slice(0, MARGIN_CHARS),
        SECRET.test(name) ? HIDDEN : shown(member, depth + 1),
      ]),
    )
  }

  function counted(text: string): string {
    texts++
    chars += text.length
    return text
  }
}

/** The mark of the cut says how long the text was. It is not counted. */
function shownText(text: string, bytes: number): string {
  if (text.startsWith('data:')) return describedUrl(text)
  if (isBase64(text)) return `[base64, ${decodedBytes(text.length)} bytes]`
  const plain = text.slice(0, LOOKED_AT).replace(DATA_URL, describedUrl)
  return plain.length <= bytes + MARGIN_CHARS && text.length <= LOOKED_AT
    ? plain
    : `${copied(plain.slice(0, bytes + MARGIN_CHARS))}${cutMark(text)}`
}

/** A part of a string keeps the whole string in memory. */
function copied(part: string): string {
  return Buffer.from(part).toString()
}

/** Cuts every text of a value to its length. Only now, because personal data is replaced before. */
export function cutTexts(value: unknown, bytes: number): unknown {
  return mapTexts(value, (text) => cut(text, bytes))
}

function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  const mark = /… \[cut, it had \d+ characters\]$/.exec(text.slice(-60))?.[0] ?? cutMark(text)
  const head = Buffer.from(text.slice(0, bytes))
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  return head + mark
}

function cutMark({ length }: string): string {
  return `… [cut, it had ${length} characters]`
}

export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]))
}

function describedUrl(url: string): string {
  const comma = url.indexOf(',')
  const type = url
    .slice('data:'.length, comma < 0 ? 0 : comma)
    .split(';')[0]!
    .slice(0, 120)
  return `[${type || 'data'}, ${decodedBytes(url.length - comma - 1)} bytes]`
}

function isBase64(text: string): boolean {
  return text.length >= LEAST_BASE64 && BASE64.test(text.slice(0, LEAST_BASE64)) && BASE64.test(text.slice(-64))
}

function decodedBytes(chars: number): number {
  return Math.floor((chars * 3) / 4)
}
