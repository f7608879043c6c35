import { isAbsentIfNull } from '../../base/schema/fields.ts'
import { type Fields, isRecord } from '../../base/schema/record.ts'
import type { TObject, TSchema } from '../../base/schema/type.ts'
import type { ObjectSchema } from '../../translation/mcp/tools.ts'

// Schemas as models read them: plain JSON Schema, without what only our own checks and documents know.

/** These are ours: other programs may refuse a schema with an unknown format. */
const OWN_FORMATS: ReadonlySet<unknown> = new Set(['file-input'])

/** Some fields of a contract. What is left out has its default. */
export function fieldsOf(schema: TObject, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, printed(schema.properties[name]!)]))
}

/** An input without further members, so that a misspelt one is refused and not ignored. */
export function inputSchema(properties: Fields, required: readonly string[] = []): ObjectSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  }
}

/** The fields of an object of a contract, and which of them are needed. */
export function printedObject(schema: TSchema): { properties: Fields; required: readonly string[] } {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] }
  const entries = Object.entries(properties).map(([name, property]) => [name, printed(property)] as const)
  return { properties: Object.fromEntries(entries), required }
}

export function printed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(printed)
  if (!isRecord(schema)) return schema
  const inner = isAbsentIfNull(schema) ? withoutNull(schema) : schema
  return Object.fromEntries(
    Object.entries(inner)
      .filter(([key, value]) => key !== 'printed' && !(key === 'format' && OWN_FORMATS.has(value)))
      .map(([key, value]) => [key, KEPT.has(key) ? value : printed(value)]),
  )
}

/** Values, not schemas. */
const KEPT: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'examples', 'required'])

/** The branch of a field that may be absent or null. Callers of tools leave fields out. */
function withoutNull({ anyOf, ...rest }: Fields): Fields {
  const [only] = Array.isArray(anyOf) ? anyOf : []
  return { ...(isRecord(only) ? only : {}), ...rest }
}
