import type { TSchema } from '../src/base/schema/type.ts'
import { type SimplifiedField, simplifiedSchema } from '../src/translation/tasks/simplified-schema.ts'

export type FieldRow = { name: string; type: string; required: boolean; description: string }

/** The fields of a schema, followed by the fields inside of them: `items[].label`. */
export function fieldRows(schema: TSchema): FieldRow[] {
  return simplifiedSchema(schema).fields.flatMap((field) => rowsOf(field, ''))
}

type Shape = Omit<SimplifiedField, 'name' | 'required' | 'description'>

function rowsOf(field: SimplifiedField, before: string): FieldRow[] {
  const { shape, brackets } = inmost(field)
  const name = `${before}${field.name}`
  const own = { name, type: typeOf(field), required: field.required, description: field.description }
  return [own, ...(shape.fields ?? []).flatMap((inner) => rowsOf(inner, `${name}${brackets}.`))]
}

/** The element type of a list, or of a list of lists. */
function inmost(shape: Shape): { shape: Shape; brackets: string } {
  if (!shape.items) return { shape, brackets: '' }
  const inner = inmost(shape.items)
  return { shape: inner.shape, brackets: `[]${inner.brackets}` }
}

function typeOf(shape: Shape): string {
  if (shape.items) return `list of ${typeOf(shape.items)}`
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ')
  return shape.type.replace('_', ' ')
}
