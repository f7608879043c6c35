import { NOWHERE } from '../../results/box-of.ts'
import { dropTextract, pollTextract, startTextract, type TextractTicket } from '../../vendors/amazon/textract-job.ts'
import { amazonBox, type Block, blocksOf, byPage, partsFinder, percent } from '../../vendors/amazon/textract.ts'
import { slowAdapter } from '../../feature.ts'
import ocrTables from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_StartDocumentAnalysis.html. Rows and columns are counted from 1.

export default slowAdapter(ocrTables, {
  start: (task, tools) => {
    return startTextract(tools, 'DocumentAnalysis', task.files.file!, { ...task.params, FeatureTypes: ['TABLES'] })
  },
  poll: async (ticket: TextractTicket, tools) => {
    const state = await pollTextract(tools, 'DocumentAnalysis', ticket)
    if (state === 'pending') return 'pending'
    const partsOf = partsFinder(state.blocks)
    const pages = byPage(blocksOf(state.blocks, 'TABLE')).map((tables) => ({
      tables: tables.map((table) => toTable(blocksOf(partsOf(table), 'CELL'), partsOf)),
    }))
    return { output: { pages, num_pages: state.pages }, original: state.blocks, units: state.pages }
  },
  cancel: dropTextract,
})

function toTable(cells: Block[], partsOf: (whole: Block) => Block[]) {
  const rows = Map.groupBy(cells, ({ RowIndex = 1 }) => RowIndex)
  return {
    rows: [...rows.values()].map((row) => ({ cells: row.map((cell) => toCell(cell, partsOf(cell))) })),
    num_rows: rows.size,
    num_cols: new Set(cells.map(({ ColumnIndex }) => ColumnIndex)).size,
  }
}

function toCell(cell: Block, words: Block[]) {
  return {
    text: words.map(({ Text = '' }) => Text).join(' ') || null,
    row_index: cell.RowIndex ?? null,
    col_index: cell.ColumnIndex ?? null,
    row_span: cell.RowSpan ?? null,
    col_span: cell.ColumnSpan ?? null,
    confidence: percent(cell.Confidence),
    bounding_box: cell.Geometry ? amazonBox(cell.Geometry.BoundingBox) : NOWHERE,
    is_header: cell.EntityTypes?.includes('COLUMN_HEADER') ?? false,
  }
}
