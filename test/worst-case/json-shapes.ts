import { sample } from '../soak/sample.ts'

// JSON of a certain size that is as hard to parse as the documented limits allow: 50,000 keys, 200,000 values, 64 levels.
// `npm test` has fewer keys and values, but enough to notice work that grows with their square.

const KEYS = sample(20_000, 49_900)
const VALUES = sample(50_000, 199_000)
const STRINGS = 200_000
const LEVELS = 60

/** `share`: how many of the keys and values. */
type Shape = { name: string; text(bytes: number, share?: number): string }

/** Each shape is the text of one JSON value. It is created once per size. */
export const VALUES_OF_EVERY_SHAPE: readonly Shape[] = rememberTexts([
  { name: 'one long text', text: (bytes) => quoted('a'.repeat(bytes)) },
  { name: 'one long text of another script', text: (bytes) => quoted('語'.repeat(bytes / 3)) },
  { name: 'escaped letters', text: (bytes) => quoted('\\u00e9'.repeat(bytes / 6)) },
  { name: 'escaped quotes', text: (bytes) => quoted('\\"'.repeat(bytes / 2)) },
  { name: 'backslashes', text: (bytes) => quoted('\\\\'.repeat(bytes / 2)) },
  { name: 'brackets in a text', text: (bytes) => quoted('[{'.repeat(bytes / 2)) },
  { name: 'blanks', text: (bytes) => `[${' '.repeat(bytes)}]` },
  {
    name: 'digits',
    text: (bytes, share = 1) => `[${list(VALUES * share, (at) => digits(at, bytes / (VALUES * share)))}]`,
  },
  {
    name: 'many texts',
    text: (bytes, share = 1) => `[${list(VALUES * share, (at) => quoted(filled(at, bytes / (VALUES * share))))}]`,
  },
  { name: 'many empty objects', text: (_bytes, share = 1) => `[${list((VALUES * share) / 2, () => '{}')}]` },
  {
    name: 'distinct keys',
    text: (bytes, share = 1) => `{${list(KEYS * share, (at) => `${quoted(filled(at, bytes / (KEYS * share)))}:0`)}}`,
  },
  {
    name: 'objects of distinct keys',
    text: (bytes, share = 1) => `[${list(KEYS * share, (at) => `{${quoted(filled(at, bytes / (KEYS * share)))}:{}}`)}]`,
  },
  { name: 'nested lists', text: (bytes) => nested('[', ']', bytes) },
  { name: 'nested objects', text: (bytes) => nested('{"a":', '}', bytes) },
  { name: 'too many keys', text: (bytes) => `{${list(bytes / 12, (at) => `${quoted(filled(at, 8))}:0`)}}` },
  { name: 'too many values', text: (bytes) => `[${list(bytes / 2, () => '0')}]` },
  { name: 'too many levels', text: (bytes) => '['.repeat(bytes) },
  { name: 'quotes only', text: (bytes) => '"'.repeat(bytes) },
  {
    name: 'too many texts',
    text: (bytes, share = 1) => `[${list(Math.max(STRINGS * 2 * share, bytes / 3), () => '""')}]`,
  },
])

function rememberTexts(shapes: readonly Shape[]): Shape[] {
  return shapes.map(({ name, text }) => {
    let made: { bytes: number; text: string } | undefined
    return {
      name,
      text: (bytes, share) => {
        if (made?.bytes !== bytes) made = { bytes, text: text(bytes, share) }
        return made.text
      },
    }
  })
}

function quoted(text: string): string {
  return `"${text}"`
}

function list(length: number, item: (at: number) => string): string {
  return Array.from({ length: Math.floor(length) }, (_, at) => item(at)).join(',')
}

function filled(at: number, length: number): string {
  return `${at}`.padEnd(Math.max(8, Math.floor(length) - 4), 'k')
}

function digits(at: number, length: number): string {
  return `1${at}`.padEnd(Math.max(8, Math.floor(length) - 1), '7')
}

function nested(open: string, close: string, bytes: number): string {
  return `${open.repeat(LEVELS)}${quoted('a'.repeat(bytes))}${close.repeat(LEVELS)}`
}
