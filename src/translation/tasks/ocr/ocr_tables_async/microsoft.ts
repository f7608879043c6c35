import Type, { type Static } from '../../../../base/schema/type.ts'
import { NOWHERE } from '../../results/box-of.ts'
import {
  type AnalysisTicket,
  analysisOf,
  pageBox,
  Polygon,
  startAnalysis,
  stopAnalysis,
} from '../../vendors/microsoft/documents.ts'
import { slowAdapter } from '../../feature.ts'
import ocrTables from './feature.ts'

// Rows and columns are counted from 0.

const Count = Type.Optional(Type.Integer())
const Region = Type.Object({ pageNumber: Type.Integer(), polygon: Polygon })
const Cell = Type.Object({
  kind: Type.Optional(Type.String()),
  rowIndex: Type.Integer(),
  columnIndex: Type.Integer(),
  rowSpan: Count,
  columnSpan: Count,
  content: Type.String(),
  boundingRegions: Type.Optional(Type.Array(Region)),
})
const Table = Type.Object({
  rowCount: Type.Integer(),
  columnCount: Type.Integer(),
  cells: Type.Array(Cell),
  boundingRegions: Type.Optional(Type.Array(Region)),
})
const Page = Type.Object({
  pageNumber: Type.Integer(),
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
})
const poll = analysisOf(Type.Object({ pages: Type.Array(Page), tables: Type.Optional(Type.Array(Table)) }))

type Pages = Static<typeof Page>[]

export default slowAdapter(ocrTables, {
  start: (task, tools) => startAnalysis(tools, 'prebuilt-layout', task.files.file!, task.params),
  poll: async (ticket: AnalysisTicket, tools) => {
    const original = await poll(ticket, tools)
    if (original === 'pending') return 'pending'
    const tables = original.tables ?? []
    const pages = original.pages.map(({ pageNumber }) => {
      const own = tables.filter(({ boundingRegions }) => (boundingRegions?.[0]?.pageNumber ?? 1) === pageNumber)
      return { tables: own.map((table) => toTable(table, original.pages)) }
    })
    return { output: { pages, num_pages: pages.length }, original, units: Math.max(1, pages.length) }
  },
  cancel: stopAnalysis,
})

function toTable({ rowCount, columnCount, cells }: Static<typeof Table>, pages: Pages) {
  const rows = Map.groupBy(cells, ({ rowIndex }) => rowIndex)
  return {
    rows: [...rows.values()].map((row) => ({ cells: row.map((cell) => toCell(cell, pages)) })),
    num_rows: rowCount,
    num_cols: columnCount,
  }
}

function toCell(cell: Static<typeof Cell>, pages: Pages) {
  const region = cell.boundingRegions?.[0]
  const page = pages.find(({ pageNumber }) => pageNumber === region?.pageNumber)
  return {
    text: cell.content,
    row_index: cell.rowIndex,
    col_index: cell.columnIndex,
    row_span: cell.rowSpan ?? 1,
    col_span: cell.columnSpan ?? 1,
    confidence: null,
    bounding_box: pageBox(region?.polygon, page) ?? NOWHERE,
    is_header: cell.kind === 'columnHeader' || cell.kind === 'rowHeader',
  }
}
