import { boxOf, NOWHERE } from '../../results/box-of.ts'
import { type DocumentCell, type DocumentTable, processDocument, textOf } from '../../vendors/google/documents.ts'
import { largest, score } from '../../fields/score.ts'
import { adapter } from '../../feature.ts'
import ocrTables from './feature.ts'

// The form parser of Document AI, which does not number rows and columns.

export default adapter(ocrTables, async (task, tools) => {
  const original = await processDocument(tools, 'form-parser', task.files.file!, task.params)
  const { text = '', pages: found = [] } = original.document
  const pages = found.map(({ tables = [] }) => ({ tables: tables.map((table) => toTable(table, text)) }))
  return { output: { pages, num_pages: pages.length }, original, units: Math.max(1, pages.length) }
})

function toTable({ headerRows = [], bodyRows = [] }: DocumentTable, text: string) {
  const rows = [
    ...headerRows.map(({ cells = [] }) => ({ cells: cells.map((cell) => toCell(cell, text, true)) })),
    ...bodyRows.map(({ cells = [] }) => ({ cells: cells.map((cell) => toCell(cell, text, false)) })),
  ]
  return { rows, num_rows: rows.length, num_cols: largest(rows.map(({ cells }) => cells.length)) }
}

function toCell({ layout, rowSpan, colSpan }: DocumentCell, text: string, is_header: boolean) {
  const corners = layout?.boundingPoly?.normalizedVertices
  return {
    text: textOf(layout, text),
    row_index: null,
    col_index: null,
    row_span: rowSpan ?? null,
    col_span: colSpan ?? null,
    confidence: score(layout?.confidence ?? 0),
    bounding_box: boxOf(corners ?? []) ?? NOWHERE,
    is_header,
  }
}
