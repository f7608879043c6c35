import type { Schema } from '../../contract/openapi/document.ts'
import { plainType, titleOf } from '../../contract/openapi/read-document.ts'
import { type Html, html, joined } from './markup.ts'

export function typeCell(schema: Schema): Html {
  return html`<code class="type">${typeOf(schema)}</code>`
}

/** The type in TypeScript notation, which most readers of such pages know. */
function typeOf(schema: Schema): Html {
  const { $ref, items, anyOf, enum: words, additionalProperties: values } = schema
  if ($ref) return html`<a href="#schema-${titleOf($ref)}">${titleOf($ref)}</a>`
  if (anyOf) return joined(anyOf.map(typeOf), ' | ')
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  if (Array.isArray(words)) return html`${words.map((word) => JSON.stringify(word)).join(' | ')}`
  if (items) return items.anyOf ? html`(${typeOf(items)})[]` : html`${typeOf(items)}[]`
  if (typeof values === 'object') return html`{ [name]: ${typeOf(values)} }`
  return html`${plainType(schema)}`
}
