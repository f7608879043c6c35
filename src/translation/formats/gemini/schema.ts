import { type Fields, isRecord, listOf } from '../../../base/schema/record.ts'
import { fieldsOf } from './names.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'
import { keepWritten } from '../../json/written-numbers.ts'

// Google's own notation of schemas: types in capitals, `nullable`, and counts that may be texts. Everything else is JSON Schema.

const MAX_DEPTH = 64
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']

/** The same schema as JSON Schema. The names of properties are the caller's own. */
export function toJsonSchema(schema: unknown, depth = 0): unknown {
  if (!isRecord(schema) || depth > MAX_DEPTH) return schema
  const { nullable, propertyOrdering: _, type, ...rest } = fieldsOf(schema)
  const within = (value: unknown) => toJsonSchema(value, depth + 1)
  return {
    ...rest,
    ...typeOf(type, nullable === true),
    ...countsOf(rest),
    ...(rest.items !== undefined && { items: within(rest.items) }),
    ...(isRecord(rest.properties) && { properties: mapped(rest.properties, within) }),
    ...(Array.isArray(rest.anyOf) && { anyOf: rest.anyOf.map(within) }),
    ...(nullable === true && Array.isArray(rest.enum) && { enum: [...listOf(rest.enum), null] }),
  }
}

function typeOf(type: unknown, isNullable: boolean): Fields {
  if (typeof type !== 'string' || type === 'TYPE_UNSPECIFIED') return type === undefined ? {} : { type }
  const word = type.toLowerCase()
  return { type: isNullable ? [word, 'null'] : word }
}

/** The protocol of Google writes 64-bit numbers as texts. */
function countsOf(schema: Fields): Fields {
  const counts = COUNTS.filter((name) => typeof schema[name] === 'string' && /^\d{1,15}$/.test(schema[name]))
  return Object.fromEntries(counts.map((name) => [name, toNumber(schema[name])]))
}

function mapped(properties: Fields, change: (value: unknown) => unknown): Fields {
  const changed = Object.entries(properties).map(([name, value]) => [name, change(value)])
  return keepWritten(Object.fromEntries(changed), properties)
}
