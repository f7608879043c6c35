/** A field of a task, as `GET /v3/info/{feature}/{subfeature}` describes it. */
export type TaskField = {
  name: string
  type: string
  required: boolean
  description: string
  enum?: readonly string[]
  items?: { type: string }
}

/** What the person has typed, by the name of the field. */
export type TaskDraft = Readonly<Record<string, string>>

export function fieldsIn(schema: Record<string, unknown>): readonly TaskField[] {
  return (schema.fields ?? []) as TaskField[]
}

/** Lists of words have one on each line. */
export function isLines({ type, items }: TaskField): boolean {
  return type === 'array' && ['string', 'file_input', 'enum'].includes(items?.type ?? '')
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

function textOf(field: TaskField, value: unknown): string {
  if (isLines(field)) return (value as string[]).join('\n')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Throws an error for the person about a field that should be JSON and is not. Empty fields are left out. */
export function inputOf(fields: readonly TaskField[], draft: TaskDraft): Record<string, unknown> {
  const written = fields.filter(({ name }) => (draft[name] ?? '').trim() !== '')
  return Object.fromEntries(written.map((field) => [field.name, parsedOf(field, draft[field.name]!)]))
}

function parsedOf(field: TaskField, text: string): unknown {
  if (isLines(field)) return text.split('\n').filter((line) => line.trim() !== '')
  if (field.type === 'int' || field.type === 'float') return Number(text)
  if (field.type === 'bool') return text === 'true'
  return ['array', 'object', 'dict', 'any'].includes(field.type) ? jsonOf(field, text) : text
}

/** What may be anything may be a plain text, too. */
function jsonOf({ name, type }: TaskField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (type === 'any') return text
    throw new Error(`${name}: write JSON, such as ${type === 'array' ? '[…]' : '{…}'}.`)
  }
}
