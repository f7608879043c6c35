import Type from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { Box } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { nullableFields } from '../../nullable-fields.ts'
import { Score } from '../../fields/score.ts'

const CONFIDENCE = nullableFields(Score, { confidence: 'How sure it is, from 0 to 1.' })

const Word = closedObject({
  text: Type.String({ description: 'The word.' }),
  bounding_box: Box,
  ...CONFIDENCE,
})

const Line = closedObject({
  text: Type.String({ description: 'The line.' }),
  words: Type.Array(Word, { description: 'Its words.' }),
  bounding_box: nullable(Box, 'Where it is.'),
  ...CONFIDENCE,
})

const Page = closedObject({ lines: Type.Array(Line, { description: 'The lines of the page, from top to bottom.' }) })

export default feature({
  feature: 'ocr',
  subfeature: 'ocr_async',
  fullname: 'OCR: Text recognition of long documents',
  description: 'Reads the text of a document of many pages, line by line and word by word.',
  mode: 'async',
  input: closedObject({ file: fileInput('The document to read.') }),
  output: closedObject({
    raw_text: Type.String({ description: 'All the text.' }),
    pages: Type.Array(Page, { description: 'The same, page by page.' }),
    ...nullableFields(Type.Integer(), { number_of_pages: 'How many pages were read.' }),
  }),
  example: {
    input: { file: 'https://example.com/notice.pdf' },
    output: {
      raw_text: 'Closed today',
      pages: [
        {
          lines: [
            {
              text: 'Closed today',
              words: [
                {
                  text: 'Closed',
                  bounding_box: { left: 0.1, top: 0.2, width: 0.2, height: 0.05 },
                  confidence: 0.992,
                },
                {
                  text: 'today',
                  bounding_box: { left: 0.32, top: 0.2, width: 0.18, height: 0.05 },
                  confidence: 0.987,
                },
              ],
              bounding_box: { left: 0.1, top: 0.2, width: 0.4, height: 0.05 },
              confidence: 0.989,
            },
          ],
        },
      ],
      number_of_pages: 1,
    },
  },
  unit: 'page',
})
