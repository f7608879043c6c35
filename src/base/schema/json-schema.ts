import type { TSchema } from './type.ts'
import type { TypeName } from './issue-messages.ts'
import { FORMAT_ISSUES, PATTERN_ISSUES } from './patterns.ts'

/** The subset of JSON Schema that the contract uses. */
export type JsonSchema = {
  type?: TypeName
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  oneOf?: { required: [string] }[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
}

const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'deprecated', 'printed']
const OF_TYPE: Record<TypeName, string[]> = {
  object: ['properties', 'required', 'additionalProperties', 'oneOf'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'format', 'pattern', 'const', 'enum'],
  integer: ['minimum', 'maximum', 'const', 'enum'],
  number: ['minimum', 'maximum', 'const', 'enum'],
  boolean: ['const', 'enum'],
  null: [],
}

/**
 * Reads a schema as the subset above. A keyword for which there is no message is refused here, when the program starts:
 * otherwise a body could be refused without a reason.
 */
export function readSchema(schema: TSchema): JsonSchema {
  refuseUnworded(schema as JsonSchema, '#')
  return schema as JsonSchema
}

function refuseUnworded(schema: JsonSchema, path: string): void {
  const keywords = knownKeywords(schema)
  const unknown = Object.keys(schema).find((keyword) => !keywords.includes(keyword))
  if (unknown !== undefined) throw new Error(`There is no message for the keyword '${unknown}' at ${path}`)
  if (!isWordedString(schema)) throw new Error(`There is no message for the string at ${path}`)
  if (!isExactlyOne(schema.oneOf))
    throw new Error(`There are messages only for single required keys in the oneOf at ${path}`)
  for (const [name, child] of childrenOf(schema)) refuseUnworded(child, `${path}/${name}`)
}

function knownKeywords(schema: JsonSchema): string[] {
  const ownKeywords = schema.type === undefined ? ['anyOf', 'const', 'enum'] : ['type', ...OF_TYPE[schema.type]]
  return [...ownKeywords, ...ANNOTATIONS]
}

function isWordedString({ format, pattern }: JsonSchema): boolean {
  return (format === undefined || format in FORMAT_ISSUES) && (pattern === undefined || pattern in PATTERN_ISSUES)
}

function isExactlyOne(alternatives: JsonSchema[] = []): boolean {
  return alternatives.every((one) => Object.keys(one).join() === 'required' && one.required?.length === 1)
}

function childrenOf({ properties = {}, items, additionalProperties, anyOf = [] }: JsonSchema): [string, JsonSchema][] {
  const children: [string, JsonSchema][] = [...Object.entries(properties), ...Object.entries(anyOf)]
  if (items) children.push(['items', items])
  if (typeof additionalProperties === 'object') children.push(['*', additionalProperties])
  return children
}
