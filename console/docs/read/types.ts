import type { Schema } from '../../../src/contract/openapi/document.ts'
import { titleOf } from './document.ts'

/** The type in TypeScript's notation, which most readers of such pages know. */
export function typeName(schema: Schema): string {
  const { $ref, type, items, anyOf, enum: words, additionalProperties: values } = schema
  if ($ref) return titleOf($ref)
  if (anyOf) return anyOf.map(typeName).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ')
  if (items) return items.anyOf ? `(${typeName(items)})[]` : `${typeName(items)}[]`
  if (typeof values === 'object') return `{ [name]: ${typeName(values)} }`
  return type === 'string' && schema.format === 'binary' ? 'file' : (type ?? 'any')
}

/** The constraints that JSON Schema adds to the type, in words. */
export function limitsOf(schema: Schema): string[] {
  const { items, anyOf = [], pattern, format, default: fallback, examples } = schema
  return [
    ...[...anyOf, ...(items ? [items] : [])].flatMap(limitsOf),
    ...bounds(schema.minimum, schema.maximum),
    ...bounds(schema.minLength, schema.maxLength, 'length '),
    ...bounds(schema.minItems, schema.maxItems, 'entries: '),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(format === undefined || format === 'binary' ? [] : [`${format}`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ...(Array.isArray(examples) ? [`such as ${examples.map(String).join(', ')}`] : []),
  ]
}

function bounds(least: unknown, most: unknown, what = ''): string[] {
  if (least !== undefined && most !== undefined) return [`${what}${least} to ${most}`]
  if (least !== undefined) return [`${what}at least ${least}`]
  return most === undefined ? [] : [`${what}at most ${most}`]
}
