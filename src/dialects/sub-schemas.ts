import { type Fields, isRecord } from '../schema/record.ts'

// Where a JSON schema holds further schemas.

/** Hold schemas by name, which may be any name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NESTED: ReadonlySet<string> = new Set(['items', 'additionalProperties'])

/** `definition` is the name of the definition that a schema is, where it is one. */
export type Lower = (schema: Fields, definition?: string) => unknown

/** The value of a keyword with every schema in it lowered; the same value where none of them changes. */
export function lowerWithin(keyword: string, value: unknown, lower: Lower): unknown {
  if (NESTED.has(keyword)) return isRecord(value) ? lower(value) : value
  if (LISTS.has(keyword) && Array.isArray(value)) return lowerList(value, lower)
  if (MAPS.has(keyword) && isRecord(value)) return lowerMap(keyword, value, lower)
  return keyword === '$ref' && typeof value === 'string' ? value.replace(/^#\/definitions\//, '#/$defs/') : value
}

/** `definitions` is the older name of `$defs`; references to it are renamed by `lowerWithin`. */
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
