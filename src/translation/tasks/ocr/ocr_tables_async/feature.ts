import Type from '../../../../base/schema/type.ts'
import { LooseBox } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { Score } from '../../fields/score.ts'

const Cell = closedObject({
  ...nullableFields(Type.String(), { text: 'What is written in it.' }),
  ...nullableFields(Type.Integer(), {
    row_index: 'Its row, counted from 0 or 1 as the provider does.',
    col_index: 'Its column, counted from 0 or 1 as the provider does.',
    row_span: 'How many rows it covers.',
    col_span: 'How many columns it covers.',
  }),
  ...nullableFields(Score, { confidence: 'How sure it is, from 0 to 1.' }),
  bounding_box: LooseBox,
  is_header: Type.Boolean({ description: 'Whether it is a heading.' }),
})

const Row = closedObject({ cells: Type.Array(Cell, { description: 'Its cells, from left to right.' }) })

const Table = closedObject({
  rows: Type.Array(Row, { description: 'Its rows, from top to bottom.' }),
  ...nullableFields(Type.Integer(), { num_rows: 'How many rows it has.', num_cols: 'How many columns it has.' }),
})

const Page = closedObject({ tables: Type.Array(Table, { description: 'The tables on the page.' }) })

export default feature({
  feature: 'ocr',
  subfeature: 'ocr_tables_async',
  fullname: 'OCR: Tables',
  description: 'Reads the tables of a document, cell by cell.',
  mode: 'async',
  input: closedObject({ file: fileInput('The document to read.') }),
  output: closedObject({
    pages: Type.Array(Page, { description: 'The pages of the document.' }),
    ...nullableFields(Type.Integer(), { num_pages: 'How many pages were read.' }),
  }),
  example: {
    input: { file: 'https://example.com/prices.pdf' },
    output: {
      pages: [
        {
          tables: [
            {
              rows: [
                { cells: [cell('Item', 0, 0, true), cell('Price', 0, 1, true)] },
                { cells: [cell('Lamp', 1, 0, false), cell('39.90', 1, 1, false)] },
              ],
              num_rows: 2,
              num_cols: 2,
            },
          ],
        },
      ],
      num_pages: 1,
    },
  },
  unit: 'page',
})

function cell(text: string, row: number, column: number, isHeader: boolean) {
  return {
    text,
    row_index: row,
    col_index: column,
    row_span: 1,
    col_span: 1,
    confidence: 0.98,
    bounding_box: { left: column === 0 ? 0.1 : 0.5, top: row === 0 ? 0.2 : 0.25, width: 0.4, height: 0.05 },
    is_header: isHeader,
  }
}
