import { type Fields, isRecord, listOf, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { lowerWithin, withDefinitions } from '../sub-schemas.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// Google supports a subset of JSON Schema. Unknown keywords are dropped and named in a note; keywords with a synonym are
// replaced.

const KNOWN: ReadonlySet<string> = new Set(
  `$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf
  oneOf properties additionalProperties required propertyOrdering`.split(/\s+/),
)

/** Keywords that do not affect validity; dropping them needs no note. */
const REMARKS: ReadonlySet<string> = new Set(['$schema', '$comment', 'examples', 'example', 'default', 'deprecated'])

/** The schema in Google's subset, or the same object if nothing changes. `lost` collects keywords that are not enforced. */
export function lowerSchema(schema: unknown, lost: Set<string>): unknown {
  if (!isRecord(schema)) return schema
  const plain = reworded(schema, lost)
  const onlyRef = typeof plain.$ref === 'string'
  const entries = Object.entries(plain).filter(([keyword]) => keep(keyword, onlyRef, lost))
  const lowered = entries.map(([keyword, value]): [string, unknown] => {
    return [keyword, lowerWithin(keyword, value, (inner) => lowerSchema(inner, lost))]
  })
  const same = plain === schema && lowered.length === Object.keys(schema).length
  return same && lowered.every(([keyword, value]) => value === schema[keyword]) ? schema : Object.fromEntries(lowered)
}

/** Only keywords that start with `$` may accompany a reference. */
function keep(keyword: string, onlyRef: boolean, lost: Set<string>): boolean {
  if (onlyRef && !keyword.startsWith('$')) return false
  if (KNOWN.has(keyword)) return true
  if (!REMARKS.has(keyword)) lost.add(keyword)
  return false
}

type Rewording = (value: unknown, schema: Fields, lost: Set<string>) => Fields

const REWORDINGS: Record<string, Rewording> = {
  definitions: (_, schema) => ({ $defs: withDefinitions(schema).$defs }),
  const: literal,
  enum: strings,
  nullable: (value, { type }) => (value === true && typeof type === 'string' ? { type: [type, 'null'] } : {}),
  // Exact for integers; otherwise the bound itself is allowed.
  exclusiveMinimum: (value, { type }) => ({ minimum: type === 'integer' ? Math.floor(toNumber(value)) + 1 : value }),
  exclusiveMaximum: (value, { type }) => ({ maximum: type === 'integer' ? Math.ceil(toNumber(value)) - 1 : value }),
  allOf: together,
}

function reworded(fields: Fields, lost: Set<string>): Fields {
  const keywords = Object.keys(fields).filter((keyword) => Object.hasOwn(REWORDINGS, keyword))
  if (keywords.length === 0) return fields
  const plain = { ...fields }
  for (const keyword of keywords) delete plain[keyword]
  for (const keyword of keywords) Object.assign(plain, REWORDINGS[keyword]!(fields[keyword], fields, lost))
  return plain
}

/** An enum may contain only strings and numbers. */
function literal(value: unknown): Fields {
  if (value === null) return { type: 'null' }
  return typeof value === 'boolean' ? { type: 'boolean' } : { enum: [value] }
}

function strings(values: unknown, _: Fields, lost: Set<string>): Fields {
  const allowed = listOf(values).filter((value) => typeof value === 'string' || typeof value === 'number')
  if (allowed.length === listOf(values).length) return { enum: values }
  lost.add('enum')
  return allowed.length > 0 ? { enum: allowed } : {}
}

/** Merges schemas that all have to hold. A reference among several cannot be merged without resolving it. */
function together(values: unknown, schema: Fields, lost: Set<string>): Fields {
  const all = recordsIn(values).map((value) => reworded(value, lost))
  if (all.length > 1 && all.some(({ $ref }) => $ref !== undefined)) lost.add('allOf')
  const properties = Object.assign({}, ...[...all, schema].map((value) => recordOf(value.properties)))
  const required = [...all, schema].flatMap((value) => listOf(value.required))
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}
