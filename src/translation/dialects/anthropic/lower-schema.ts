import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { lowerWithin, withDefinitions } from '../sub-schemas.ts'
import { hasCycle } from './has-cycle.ts'
import { writeJson } from '../../json/written-numbers.ts'

// Anthropic enforces a part of JSON Schema. Keywords that it does not enforce go into the description, where at least the
// model reads them.

/** A schema with more optional properties is refused. */
const MAX_OPTIONAL_PROPERTIES = 24

const FORMATS: ReadonlySet<unknown> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
])
const KEPT: ReadonlySet<string> = new Set(['type', 'title', 'description', 'enum', 'const', 'required', '$ref'])
const OBJECTS: ReadonlySet<string> = new Set(['properties', '$defs', 'items'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])
/** Keywords that say nothing about the answer. */
const IGNORED: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', '$anchor'])
/** Hints for the reader, not constraints: moving them weakens nothing. */
const HINTS: ReadonlySet<string> = new Set(['default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly'])

type Lowered = { schema: Fields; weakened: string[]; isAccepted: boolean; why: string | undefined }

export function lowerSchema(schema: Fields): Lowered {
  const lowering = new Lowering()
  const lowered = lowering.lower(schema, '#')
  const why = lowering.whyNot()
  return { schema: lowered, weakened: [...lowering.weakened], isAccepted: why === undefined, why }
}

/** `lowered` is the schema that the provider enforces; `moved` are the keywords that go into the description. */
type Split = { lowered: Fields; moved: Fields }

class Lowering {
  readonly weakened = new Set<string>()
  readonly #references = new Map<string, Set<string>>()
  #optional = 0

  whyNot(): string | undefined {
    if (hasCycle(this.#references)) return 'this provider does not support recursive schemas'
    return this.#optional > MAX_OPTIONAL_PROPERTIES
      ? `this provider does not support schemas with more than ${MAX_OPTIONAL_PROPERTIES} optional properties`
      : undefined
  }

  /** `owner` is the definition that contains this schema. References are recorded by owner. */
  lower(schema: Fields, owner: string): Fields {
    const split: Split = { lowered: {}, moved: {} }
    const plain = 'definitions' in schema ? withDefinitions(schema) : schema
    for (const [keyword, value] of Object.entries(plain)) this.#keyword([keyword, value], split, owner)
    if (describesObject(schema)) this.#closeObject(schema, split.lowered)
    for (const keyword in split.moved) if (!HINTS.has(keyword)) this.weakened.add(keyword)
    return withMoved(split)
  }

  #keyword([keyword, value]: [string, unknown], { lowered, moved }: Split, owner: string): void {
    if (IGNORED.has(keyword) || keyword === 'additionalProperties') return
    const name = keyword === 'oneOf' ? 'anyOf' : keyword
    if (!isEnforced(keyword, value) || lowered[name] !== undefined) moved[keyword] = value
    else
      lowered[name] = lowerWithin(keyword, value, (inner, definition) => {
        return this.lower(inner, definition === undefined ? owner : `#/$defs/${definition}`)
      })
    if (keyword === '$ref') this.#refer(textOf(lowered.$ref), owner)
  }

  #refer(target: string, owner: string): void {
    const targets = this.#references.get(owner) ?? new Set()
    this.#references.set(owner, targets.add(target))
  }

  #closeObject({ properties, required, additionalProperties }: Fields, lowered: Fields): void {
    if (additionalProperties !== undefined && additionalProperties !== false) this.weakened.add('additionalProperties')
    lowered.additionalProperties = false
    const names = isRecord(properties) ? Object.keys(properties) : []
    const demanded = new Set(Array.isArray(required) ? required : [])
    this.#optional += names.filter((name) => !demanded.has(name)).length
  }
}

function describesObject({ type, properties }: Fields): boolean {
  if (type === undefined) return isRecord(properties)
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

/** Some bounds and formats are enforced. A keyword that contains schemas has to have the right type. */
function isEnforced(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return FORMATS.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  if (OBJECTS.has(keyword)) return isRecord(value)
  if (LISTS.has(keyword)) return Array.isArray(value)
  return KEPT.has(keyword)
}

function withMoved({ lowered, moved }: Split): Fields {
  const sentences = Object.entries(moved).map(([keyword, value]) => `${keyword}: ${writeJson(value)}`)
  if (sentences.length === 0) return lowered
  const before = typeof lowered.description === 'string' ? `${lowered.description} ` : ''
  return { ...lowered, description: `${before}(${sentences.join(', ')})` }
}
