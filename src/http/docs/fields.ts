import type { OpenApiDocument, Schema } from '../../contract/openapi/document.ts'
import { constraintsOf, resolve, titleOf } from '../../contract/openapi/read-document.ts'
import { fold, nestedRow, row, table } from './elements.ts'
import { type Html, html, text, type Value } from './markup.ts'
import { typeCell } from './type-cell.ts'

type Field = { name: string; schema: Schema; required: boolean; note?: Value }

/** The trail lists the types that enclose this one, so that no type is expanded inside itself. */
export function fieldTable(schema: Schema, document: OpenApiDocument, trail: string[]): Html {
  const { properties = {}, required = [] } = resolve(schema, document)
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldRows({ name, schema: property, required: required.includes(name) }, document, trail),
  )
  return table(['Field', 'Type', 'Meaning'], rows)
}

export function fieldRows({ name, schema, required, note }: Field, document: OpenApiDocument, trail: string[]): Html {
  const description = schema.description ?? resolve(schema, document).description ?? ''
  const constraints = constraintsOf(schema)
  const inside = nestedFields(schema, document, trail, name)
  return html`${row([
    html`<code>${name}</code>${required && html` <em>required</em>`}${note}`,
    html`${typeCell(schema)}${constraints.length > 0 && html` <small class="limits">${constraints.join(', ')}</small>`}`,
    text(description),
  ])}${inside.length > 0 && nestedRow(inside)}`
}

/** The objects inside a field, each collapsed. A type that contains itself is not expanded again. */
export function nestedFields(schema: Schema, document: OpenApiDocument, trail: string[], name: string): Html[] {
  const { items, anyOf = [], $ref, additionalProperties } = schema
  if ($ref && trail.includes($ref)) return []
  const path = $ref ? [...trail, $ref] : trail
  const within = resolve(schema, document)
  if (within !== schema) return nestedFields(within, document, path, titleOf($ref!))
  const parts = [...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') parts.push(additionalProperties)
  if (!schema.properties) return parts.flatMap((part) => nestedFields(part, document, path, name))
  return [fold(`Fields of ${name || 'the body'}`, fieldTable(schema, document, path))]
}
