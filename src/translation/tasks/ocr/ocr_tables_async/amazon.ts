import { NOWHERE } from '../../results/box-of.ts'
import { dropTextract, pollTextract, startTextract, type TextractTicket } from '../../vendors/amazon/textract-job.ts'
import {
  amazonBox,
  type Block,
  blocksOf,
  byPage,
  type PartsOf,
  partsFinder,
  fractionOfPercent,
} from '../../vendors/amazon/textract.ts'
import { slowAdapter } from '../../feature.ts'
import { largest } from '../../fields/score.ts'
import ocrTables from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_StartDocumentAnalysis.html. Rows and columns are counted from 1.

/** More than Amazon's tables have. */
const MAX_COLUMNS = 100_000

export default slowAdapter(ocrTables, {
  start: (task, tools) => {
    return startTextract(tools, 'DocumentAnalysis', task.files.file!, { ...task.params, FeatureTypes: ['TABLES'] })
  },
  poll: async (ticket: TextractTicket, tools) => {
    const state = await pollTextract(tools, 'DocumentAnalysis', ticket)
    if (state === 'pending') return 'pending'
    const partsOf = partsFinder(state.blocks)
    const pages = byPage(blocksOf(state.blocks, 'TABLE'), state.pages).map((tables) => ({
      tables: tables.map((table) => toTable(cellsOf(table, partsOf), partsOf)),
    }))
    return { output: { pages, num_pages: state.pages }, original: state.blocks, units: state.pages }
  },
  cancel: dropTextract,
})

/** Merged cells stand for the cells that they cover, which Amazon lists as well. */
function cellsOf(table: Block, partsOf: PartsOf): Block[] {
  const merged = partsOf(table, 'MERGED_CELL')
  const covered = new Set(merged.flatMap((cell) => partsOf(cell)).map(({ Id }) => Id))
  const single = blocksOf(partsOf(table), 'CELL').filter(({ Id }) => !covered.has(Id))
  return [...single, ...merged].toSorted((one, other) => placeOf(one) - placeOf(other))
}

/** From left to right, row by row. */
function placeOf({ RowIndex = 1, ColumnIndex = 1 }: Block): number {
  return RowIndex * MAX_COLUMNS + ColumnIndex
}

function toTable(cells: Block[], partsOf: PartsOf) {
  const rows = Map.groupBy(cells, ({ RowIndex = 1 }) => RowIndex)
  return {
    rows: [...rows.values()].map((row) => ({ cells: row.map((cell) => toCell(cell, partsOf)) })),
    num_rows: largest(cells.map(({ RowIndex = 1, RowSpan = 1 }) => RowIndex + RowSpan - 1)),
    num_cols: largest(cells.map(({ ColumnIndex = 1, ColumnSpan = 1 }) => ColumnIndex + ColumnSpan - 1)),
  }
}

function toCell(cell: Block, partsOf: PartsOf) {
  return {
    text: textIn(cell, partsOf) || null,
    row_index: cell.RowIndex ?? null,
    col_index: cell.ColumnIndex ?? null,
    row_span: cell.RowSpan ?? null,
    col_span: cell.ColumnSpan ?? null,
    confidence: fractionOfPercent(cell.Confidence),
    bounding_box: cell.Geometry ? amazonBox(cell.Geometry.BoundingBox) : NOWHERE,
    is_header: isHeader(cell) || partsOf(cell).some(isHeader),
  }
}

/** A cell consists of words, and a merged cell of cells. */
function textIn(cell: Block, partsOf: PartsOf): string {
  const texts = partsOf(cell).map((part) => part.Text ?? textIn(part, partsOf))
  return texts.filter((text) => text !== '').join(' ')
}

function isHeader({ EntityTypes = [] }: Block): boolean {
  return EntityTypes.includes('COLUMN_HEADER')
}
