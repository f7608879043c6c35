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
  return { zone, member, depth: position.depth + 1, isFixed: zone === 'signed' || isName }
}

/** Whether a member has no text: control of the gateway, images, audio and the bytes of files. */
export function isSkipped(name: string, object: object, { zone, member }: TextPosition): boolean {
  if (zone === 'request') return NO_TEXTS.has(name)
  if (zone === 'signed') return SEALED.has(name)
  if (zone !== 'messages') return false
  if (member === 'file') return FILE_BYTES.has(name)
  return member === 'content' && BINARY.has(name) && (object as { type?: unknown }).type === name
}

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
