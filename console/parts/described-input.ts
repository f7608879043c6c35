/** A field that a schema describes, as the gateway simplifies it for forms. */
export type DescribedField = {
  name: string
  type: string
  required: boolean
  description: string
  enum?: readonly string[]
  items?: { type: string; enum?: readonly string[] }
  fields?: readonly DescribedField[]
  /** Whether a text has many lines. */
  isLong?: boolean
  /** What holds without a value. */
  usual?: string
}

const IN_JSON: readonly string[] = ['array', 'object', 'dict', 'any']

/** Lists of words have one on each line. */
export function isLines({ type, items }: DescribedField): boolean {
  return type === 'array' && ['string', 'file_input', 'enum'].includes(items?.type ?? '')
}

export function isJson(field: DescribedField): boolean {
  return IN_JSON.includes(field.type) && !isLines(field)
}

/** A value as a person would type it. */
export function textOf(field: DescribedField, value: unknown): string {
  if (isLines(field) && Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Throws an error for the person about a field that should be JSON and is not. Empty fields are left out. */
export function valuesOf(
  fields: readonly DescribedField[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const written = fields.filter(({ name }) => (texts[name] ?? '').trim() !== '')
  return Object.fromEntries(written.map((field) => [field.name, readText(field, texts[field.name]!)]))
}

function readText(field: DescribedField, text: string): unknown {
  if (isLines(field)) return text.split('\n').filter((line) => line.trim() !== '')
  if (field.type === 'int' || field.type === 'float') return Number(text)
  if (field.type === 'bool') return text === 'true'
  return IN_JSON.includes(field.type) ? jsonOf(field, text) : text
}

/** What may be anything may be a plain text, too. */
function jsonOf({ name, type }: DescribedField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (type === 'any') return text
    throw new Error(`${name}: write JSON, such as ${type === 'array' ? '[…]' : '{…}'}.`)
  }
}
