import { NOWHERE } from '../../results/box-of.ts'
import { readMistral } from '../../vendors/mistral/ocr.ts'
import { adapter } from '../../feature.ts'
import { largest } from '../../fields/score.ts'
import ocrTables from './feature.ts'

// Mistral writes tables as Markdown: the first row is the heading, and no cell spans columns.

const RULE = /^:?-+:?$/

export default adapter(ocrTables, async (task, tools) => {
  const { original, pages, units } = await readMistral(tools, task, { table_format: 'markdown' })
  const output = {
    pages: pages.map(({ tables }) => ({ tables: (tables ?? []).map(({ content }) => toTable(content)) })),
    num_pages: units,
  }
  return { output, original, units }
})

function toTable(markdown: string) {
  const lines = markdown.split('\n').filter((line) => line.trim().startsWith('|'))
  const cells = lines.map(cellsOf).filter((row) => !row.every((cell) => RULE.test(cell)))
  return {
    rows: cells.map((row, rowIndex) => ({ cells: row.map((text, index) => toCell(text, rowIndex, index)) })),
    num_rows: cells.length,
    num_cols: largest(cells.map((row) => row.length)),
  }
}

/** A backslash escapes a bar that is part of the text. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function toCell(text: string, row: number, column: number) {
  return {
    text,
    row_index: row,
    col_index: column,
    row_span: 1,
    col_span: 1,
    confidence: null,
    bounding_box: NOWHERE,
    is_header: row === 0,
  }
}
