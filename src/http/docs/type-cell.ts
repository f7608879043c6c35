import type { Schema } from '../../contract/openapi/document.ts'
import { titleOf } from './lookup.ts'
import { type Html, html, joined } from './markup.ts'

export function typeCell(schema: Schema): Html {
  return html`<code class="type">${typeOf(schema)}</code>`
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
    ...(format === undefined ? [] : [`${format}`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ...(Array.isArray(examples) ? [`such as ${examples.join(', ')}`] : []),
  ]
}

/** The type in TypeScript notation, which most readers of such pages know. */
function typeOf(schema: Schema): Html {
  const { $ref, type, items, anyOf, enum: words, additionalProperties: values } = schema
  if ($ref) return html`<a href="#schema-${titleOf($ref)}">${titleOf($ref)}</a>`
  if (anyOf) return joined(anyOf.map(typeOf), ' | ')
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  if (Array.isArray(words)) return html`${words.map((word) => JSON.stringify(word)).join(' | ')}`
  if (items) return items.anyOf ? html`(${typeOf(items)})[]` : html`${typeOf(items)}[]`
  if (typeof values === 'object') return html`{ [name]: ${typeOf(values)} }`
  return html`${type ?? 'any'}`
}

function bounds(least: unknown, max: unknown, what = ''): string[] {
  if (least !== undefined && max !== undefined) return [`${what}${least} to ${max}`]
  if (least !== undefined) return [`${what}at least ${least}`]
  return max === undefined ? [] : [`${what}at most ${max}`]
}
