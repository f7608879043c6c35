import type { OpenApiDocument, Operation, Schema } from './document.ts'

// The docs page reads the document with these functions in browsers, and the text of the docs does here.

/** What a `$ref` stands for. Anything else is returned as it is. */
export function resolve<Part extends { $ref?: string }>(part: Part, { components }: OpenApiDocument): Part {
  if (!part.$ref) return part
  const [, , section, name] = part.$ref.split('/')
  const entries = components[section as 'schemas'] as Record<string, unknown> | undefined
  return (entries?.[name ?? ''] ?? {}) as Part
}

/** What the gateway calls instead of serving it, by name. */
export function webhooksOf(paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const callbacks = operations.flatMap(({ callbacks = {} }) => Object.entries(callbacks))
  return Object.fromEntries(callbacks.map(([name, addresses]) => [name, onlyOne(addresses)]))
}

function onlyOne(addresses: OpenApiDocument['paths']): Record<string, Operation> {
  return Object.assign({}, ...Object.values(addresses)) as Record<string, Operation>
}

/** What a value without a type has to be all the same; `freeElements` in http/openapi/portable.ts prints such values. */
export function shapeOf(schema: Schema): Schema {
  return schema.properties ? schema : (schema.if ?? schema)
}

export function titleOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The type of a value that is neither a reference nor made of other types. */
function plainType({ type, format }: Schema): string {
  return type === 'string' && format === 'binary' ? 'file' : (type ?? 'any')
}

/** The type in TypeScript's notation, which most readers of such pages know. */
export function typeName(schema: Schema): string {
  const { $ref, items, anyOf, enum: words, additionalProperties: values } = shapeOf(schema)
  if ($ref) return titleOf($ref)
  if (anyOf) return anyOf.map(typeName).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ')
  if (items) return shapeOf(items).anyOf ? `(${typeName(items)})[]` : `${typeName(items)}[]`
  if (typeof values === 'object') return `{ [name]: ${typeName(values)} }`
  return plainType(schema)
}

/** The constraints that JSON Schema adds to the type, in words. `plainType` says that bytes are a file. */
export function constraintsOf(schema: Schema): string[] {
  const { items, anyOf = [], pattern, format, default: fallback, examples } = schema
  return [
    ...[...anyOf, ...(items ? [items] : [])].flatMap(constraintsOf),
    ...range(schema.minimum, schema.maximum),
    ...range(schema.minLength, schema.maxLength, 'length '),
    ...range(schema.minItems, schema.maxItems, 'entries: '),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(format === undefined || format === 'binary' ? [] : [`${format}`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ...(Array.isArray(examples) ? [`such as ${examples.map(String).join(', ')}`] : []),
  ]
}

function range(min: unknown, max: unknown, what = ''): string[] {
  if (min !== undefined && max !== undefined) return [`${what}${min} to ${max}`]
  if (min !== undefined) return [`${what}at least ${min}`]
  return max === undefined ? [] : [`${what}at most ${max}`]
}
