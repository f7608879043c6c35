import { type Fields, isRecord } from '../../base/schema/record.ts'
import { headerValue } from './headers.ts'

// Since 2026-07-28 a server may want some arguments of a tool in headers, too (`x-mcp-header` in the schema of a property), so that what
// is in front of it need not read the body.

/** The header of an argument, and where the argument is. */
export type Mirrored = { header: string; path: readonly string[] }
type Place = { path: readonly string[]; isReachable: boolean }

const ANNOTATION = 'x-mcp-header'
const PREFIX = 'mcp-param-'
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/
const TYPES: ReadonlySet<unknown> = new Set(['integer', 'string', 'boolean'])
/** What these members have is data, and no schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', ANNOTATION])

/** Undefined if the schema marks what cannot be a header: the protocol wants such a tool to be left out. */
export function mirroredIn(schema: Fields): readonly Mirrored[] | undefined {
  const found = [...annotated(schema, { path: [], isReachable: true })]
  const names = new Set(found.map((mirrored) => mirrored?.header))
  return names.has(undefined) || names.size < found.length ? undefined : (found as Mirrored[])
}

/** What the gateway says to its own clients: it reads no such headers. The schema is one whose marks are allowed. */
export function withoutMarks(schema: Fields): Fields {
  const { [ANNOTATION]: _, ...rest } = schema
  if (!isRecord(rest.properties)) return rest
  const properties = Object.entries(rest.properties).map(([name, member]) => {
    return [name, isRecord(member) ? withoutMarks(member) : member]
  })
  return { ...rest, properties: Object.fromEntries(properties) }
}

/** The headers for these arguments. An argument that is absent or null has none. */
export function paramHeaders(mirrored: readonly Mirrored[], input: Fields): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { header, path } of mirrored) {
    const text = textOfArgument(path.reduce<unknown>((value, name) => own(value, name), input))
    if (text !== undefined) headers[header] = headerValue(text)
  }
  return headers
}

/** An annotation that is not allowed is undefined. */
function* annotated(schema: unknown, place: Place): Generator<Mirrored | undefined> {
  if (Array.isArray(schema)) return yield* everyOf(schema, place.path)
  if (!isRecord(schema)) return
  if (Object.hasOwn(schema, ANNOTATION)) yield mirroredBy(schema, place)
  const { properties } = schema
  if (isRecord(properties))
    for (const [name, member] of Object.entries(properties))
      yield* annotated(member, { path: [...place.path, name], isReachable: place.isReachable })
  const others = Object.entries(schema).filter(([name]) => name !== 'properties' && !DATA.has(name))
  yield* everyOf(
    others.map(([, member]) => member),
    place.path,
  )
}

/** No chain of properties leads to these. */
function* everyOf(schemas: readonly unknown[], path: readonly string[]): Generator<Mirrored | undefined> {
  for (const schema of schemas) yield* annotated(schema, { path, isReachable: false })
}

function mirroredBy(schema: Fields, { path, isReachable }: Place): Mirrored | undefined {
  const name = schema[ANNOTATION]
  if (!isReachable || path.length === 0 || !TYPES.has(schema.type)) return undefined
  return typeof name === 'string' && TOKEN.test(name) ? { header: PREFIX + name.toLowerCase(), path } : undefined
}

function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function textOfArgument(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined
}
