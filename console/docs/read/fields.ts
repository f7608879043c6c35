import type { OpenApiDocument, Schema } from '../../../src/contract/openapi/document.ts'
import { resolve, shapeOf, titleOf } from '../../../src/contract/openapi/read-document.ts'

export type Field = { name: string; schema: Schema; description: string; isRequired: boolean }
/** An object, and the names of the types around it, so that no type is opened inside of itself. */
export type Inner = { title: string; schema: Schema; trail: readonly string[] }

/** The fields of an object, without those inside of them. */
export function fieldsOf(schema: Schema, document: OpenApiDocument): Field[] {
  const { properties = {}, required = [] } = shapeOf(resolve(schema, document))
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
    description: property.description ?? resolve(property, document).description ?? '',
  }))
}

/** The objects that a value of this type may be or contain. */
export function objectsIn(
  schema: Schema,
  document: OpenApiDocument,
  trail: readonly string[] = [],
  title = '',
): Inner[] {
  const shape = shapeOf(schema)
  const { $ref, items, anyOf = [], additionalProperties } = shape
  if ($ref && trail.includes($ref)) return []
  if ($ref) return objectsIn(resolve(schema, document), document, [...trail, $ref], titleOf($ref))
  if (shape.properties) return [{ title: title || kindOf(shape), schema: shape, trail }]
  const parts = [...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') parts.push(additionalProperties)
  return parts.flatMap((part) => objectsIn(part, document, trail, title))
}

/** An alternative without a name has a field that says which one it is. */
function kindOf({ properties = {} }: Schema): string {
  const fixed = Object.entries(properties).find(([, { const: value }]) => value !== undefined)
  return fixed ? `${fixed[0]}: ${JSON.stringify(fixed[1].const)}` : ''
}

/** All fields, with those inside. `visit` gets each name and its description. */
export function walkFields(
  schema: Schema,
  document: OpenApiDocument,
  visit: (name: string, description: string) => void,
): void {
  const seen = new Set<Schema>()
  const walk = (part: Schema, trail: readonly string[]) => {
    for (const inner of objectsIn(part, document, trail)) {
      if (seen.has(inner.schema)) continue
      seen.add(inner.schema)
      for (const field of fieldsOf(inner.schema, document)) {
        visit(field.name, field.description)
        walk(field.schema, inner.trail)
      }
    }
  }
  walk(schema, [])
}
