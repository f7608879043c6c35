import { type Fields, isRecord } from '../../base/schema/record.ts'

// The places where a JSON schema contains further schemas.

/** These contain schemas by name, which may be any name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NESTED: ReadonlySet<string> = new Set(['items', 'additionalProperties'])

/** `definition` is the name of the schema, if it is a definition. */
type Lower = (schema: Fields, definition?: string) => unknown

/** Lowers every schema in the value of a keyword; returns the same value if none changes. */
export function lowerWithin(keyword: string, value: unknown, lower: Lower): unknown {
  if (NESTED.has(keyword)) return isRecord(value) ? lower(value) : value
  if (LISTS.has(keyword) && Array.isArray(value)) return lowerList(value, lower)
  if (MAPS.has(keyword) && isRecord(value)) return lowerMap(keyword, value, lower)
  return keyword === '$ref' && typeof value === 'string' ? value.replace(/^#\/definitions\//, '#/$defs/') : value
}

/** `definitions` is the older name of `$defs`; `lowerWithin` renames references to it. */
export function withDefinitions({ definitions, ...schema }: Fields): Fields {
  return {
    ...schema,
    $defs: { ...(isRecord(schema.$defs) && schema.$defs), ...(isRecord(definitions) && definitions) },
  }
}

function lowerList(before: unknown[], lower: Lower): unknown[] {
  const after = before.map((item) => (isRecord(item) ? lower(item) : item))
  return after.every((item, at) => item === before[at]) ? before : after
}

function lowerMap(keyword: string, before: Fields, lower: Lower): Fields {
  const after = Object.entries(before).map(([name, schema]): [string, unknown] => {
    return [name, isRecord(schema) ? lower(schema, keyword === '$defs' ? name : undefined) : schema]
  })
  return after.every(([name, schema]) => schema === before[name]) ? before : Object.fromEntries(after)
}
