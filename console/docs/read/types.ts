import type { Schema } from '../../../src/contract/openapi/document.ts'
import { plainType, titleOf } from '../../../src/contract/openapi/read-document.ts'

/** The type in TypeScript's notation, which most readers of such pages know. */
export function typeName(schema: Schema): string {
  const { $ref, items, anyOf, enum: words, additionalProperties: values } = schema
  if ($ref) return titleOf($ref)
  if (anyOf) return anyOf.map(typeName).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ')
  if (items) return items.anyOf ? `(${typeName(items)})[]` : `${typeName(items)}[]`
  if (typeof values === 'object') return `{ [name]: ${typeName(values)} }`
  return plainType(schema)
}
