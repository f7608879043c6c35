import { type DescribedField, textOf, valuesOf } from '../../../parts/described-input.ts'

/** A field of a task, as `GET /v3/info/{feature}/{subfeature}` describes it. */
export type TaskField = DescribedField

/** What the person has typed, by the name of the field. */
export type TaskDraft = Readonly<Record<string, string>>

export function fieldsIn(schema: Record<string, unknown>): readonly TaskField[] {
  return (schema.fields ?? []) as TaskField[]
}

/** A field with one file. */
export function isFile({ type }: TaskField): boolean {
  return type === 'file_input'
}

/** Files of examples do not exist. */
export function draftOf(fields: readonly TaskField[], example: Record<string, unknown>): TaskDraft {
  const input = (example.input ?? {}) as Record<string, unknown>
  const known = fields.filter((field) => input[field.name] !== undefined && !takesFiles(field))
  return Object.fromEntries(known.map((field) => [field.name, textOf(field, input[field.name])]))
}

function takesFiles(field: TaskField): boolean {
  return isFile(field) || field.items?.type === 'file_input'
}

/** Throws an error for the person about a field that should be JSON and is not. Empty fields are left out. */
export function inputOf(fields: readonly TaskField[], draft: TaskDraft): Record<string, unknown> {
  return valuesOf(fields, draft)
}
