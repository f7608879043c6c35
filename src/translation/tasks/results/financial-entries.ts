import type { JsonSchema } from '../../../base/schema/json-schema.ts'
import { withBlanks } from '../fields/blanks.ts'
import { FinancialDocument } from '../fields/financial-document.ts'
import { amountOf } from './amount-of.ts'

/** The path of a value in a financial document: `payment_information.total`. */
export type FieldPath = `${string}.${string}`
export type Entry = { path: FieldPath; text: string }
export type Line = { field: string; text: string }[]
type Metadata = { index: number; page: number | null; type: string | null }

type Section = Record<string, unknown>

const SECTIONS = FinancialDocument.properties as unknown as Record<string, JsonSchema>

/** Builds a financial document from values with their paths. The first value of a path wins; numbers are parsed from texts. */
export function financialDocument(entries: Iterable<Entry>, lines: readonly Line[], { index, page, type }: Metadata) {
  const sections: Record<string, Section> = {}
  for (const { path, text } of entries) {
    const [section = '', field = ''] = path.split('.')
    sections[section] ??= {}
    put(sections[section], field, text, SECTIONS[section])
  }
  return withBlanks(FinancialDocument, {
    ...sections,
    item_lines: lines.map(toLine),
    document_metadata: { document_index: index, document_page_number: page, document_type: type },
  })
}

function toLine(line: Line): Section {
  const fields: Section = {}
  for (const { field, text } of line) put(fields, field, text, SECTIONS.item_lines?.items)
  return fields
}

function put(fields: Section, field: string, text: string, schema: JsonSchema | undefined): void {
  const words = text.replace(/\s+/g, ' ').trim()
  if (words === '' || fields[field] !== undefined) return
  const [kind] = schema?.properties?.[field]?.anyOf ?? []
  const value = kind?.type === 'number' ? amountOf(words) : words
  if (value !== null) fields[field] = value
}
