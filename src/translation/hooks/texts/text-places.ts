import { isRecord } from '../../../base/schema/record.ts'

// Which strings of a request are texts, and which of them can be replaced.

/** `signed`: a provider checks that it gets back what it has sent. `arguments`: JSON inside of a text. */
type Zone = 'request' | 'messages' | 'tools' | 'arguments' | 'signed' | 'other'

export type TextPosition = { zone: Zone; member: string; depth: number; isFixed: boolean }

/** What the gateway itself obeys and never sends, and words that the contract lists. */
const NO_TEXTS: ReadonlySet<string> = new Set([
  ...['model', 'fallbacks', 'router_candidates', 'routing', 'pre_hooks', 'post_hooks'],
  ...['reasoning_effort', 'service_tier', 'verbosity'],
])
const TOOLS: ReadonlySet<string> = new Set(['tools', 'functions', 'tool_choice', 'function_call'])
const SIGNED: ReadonlySet<string> = new Set(['provider_content', 'reasoning_details'])
/** Bytes that only a provider can read. It refuses others than its own. */
const SEALED: ReadonlySet<string> = new Set([
  ...['signature', 'data', 'encrypted_content', 'encrypted_index', 'thought_signature', 'thoughtSignature'],
])
const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'tool_call_id', 'call_id', 'name'])
/** Members whose values are words of an interface, such as `function` and `string`, and no texts of a caller. */
const KINDS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'role',
    'detail',
    'format',
    'modalities',
    'tool_choice',
    'function_call',
    'effort',
    'search_context_size',
  ],
])
const KIND = /^[a-z_-]{1,64}$/
const DATED_KIND = /^[a-z_]{1,64}_\d{8}$/
const PLAIN_NAME = /^[$A-Za-z_][$\w]{0,63}$/
const MANY_DIGITS = /\d{5}/
/** Parts of a message whose content is no text. */
const BINARY: ReadonlySet<string> = new Set(['image_url', 'input_audio'])
const FILE_BYTES: ReadonlySet<string> = new Set(['file_data', 'file_id'])

export function topOf(): TextPosition {
  return { zone: 'request', member: '', depth: 0, isFixed: false }
}

export function insideOf(position: TextPosition, member: string): TextPosition {
  const zone = zoneOf(position, member)
  const isName = IDENTIFIERS.has(member) && !isAuthor(position, member) && (zone === 'messages' || zone === 'tools')
  const isFixed = zone === 'signed' || isName || (zone === 'messages' && isOfImage(position, member))
  return { zone, member, depth: position.depth + 1, isFixed }
}

type Place = { object: object; position: TextPosition }

/** Whether a member has no text: control of the gateway, images, audio and the bytes of files. Addresses of images and files are texts. */
export function isSkipped(name: string, value: unknown, { object, position: { zone, member } }: Place): boolean {
  if (zone === 'request') return NO_TEXTS.has(name)
  if (zone === 'signed') return isSealed(name) && !(name === 'data' && isText(object))
  if (zone !== 'messages') return false
  if (member === 'file') return FILE_BYTES.has(name) && isOfBytes(value)
  if (member === 'image_url') return name === 'url' && isOfBytes(value)
  if (member === 'input_audio') return name === 'data' && isOfBytes(value)
  const isBinary = member === 'content' && BINARY.has(name) && (object as { type?: unknown }).type === name
  return isBinary && !isRecord(value) && isOfBytes(value)
}

/** Whether a member of this name has bytes that only a provider can read. */
export function isSealed(member: string): boolean {
  return SEALED.has(member)
}

/** A document that a provider has read has its text where images have their bytes. */
function isText(source: object): boolean {
  return (source as { type?: unknown }).type === 'text'
}

const BYTES = /^(?:data:[^,]{0,200};base64,)?[\w+/=\r\n-]*$/i

/** Bytes in base64, with their type or without, and the id of a file. Anything else is a text, such as an address. */
function isOfBytes(value: unknown): boolean {
  return typeof value !== 'string' || BYTES.test(value)
}

/** With another address it is another image. */
function isOfImage({ member }: TextPosition, name: string): boolean {
  return (
    name === 'image_url' || (member === 'image_url' && name === 'url') || (member === 'file' && name === 'file_data')
  )
}

/**
 * A number that may say something, such as that of a card. Outside of arguments, small ones are settings, and so are those that are
 * measures by their names; in lists, only long ones are read, because others are tokens.
 */
export function isReadNumber(value: unknown, { zone, member }: TextPosition, isInList: boolean): boolean {
  if (typeof value !== 'number' || zone === 'arguments' || zone === 'signed') return false
  return Math.abs(value) >= (isInList ? FIRST_OF_NO_TOKEN : FIRST_OF_FIVE_DIGITS) && !MEASURE.test(member)
}

const FIRST_OF_FIVE_DIGITS = 10_000
const FIRST_OF_NO_TOKEN = 1_000_000
const MEASURE = /(?:tokens|seed|index|created|_at)$|^(?:max|min|exclusive)|Tokens$|Index$/

/** In arguments, all words are those of the model. */
export function isRead(text: string, { member, zone }: TextPosition): boolean {
  return zone === 'arguments' || !KINDS.has(member) || !(KIND.test(text) || DATED_KIND.test(text))
}

/** Whether a text is in the arguments of a call, or is all of them. */
export function isArgument({ zone, member }: TextPosition): boolean {
  return zone === 'arguments' || (zone === 'messages' && (member === 'arguments' || member === 'input'))
}

/** Names of members are texts if they are more than a plain name. Those of arguments are the caller's words. */
export function isReadName(name: string, { zone }: TextPosition): boolean {
  return zone === 'arguments' || !PLAIN_NAME.test(name) || MANY_DIGITS.test(name)
}

function zoneOf({ zone }: TextPosition, member: string): Zone {
  if (zone === 'messages' && SIGNED.has(member)) return 'signed'
  if (zone !== 'request') return zone
  if (member === 'messages') return 'messages'
  return TOOLS.has(member) ? 'tools' : 'other'
}

/** The name of a message is that of its author. */
function isAuthor({ zone, member }: TextPosition, name: string): boolean {
  return zone === 'messages' && member === 'messages' && name === 'name'
}
