import Type from '../../../../base/schema/type.ts'
import { looseBoxFields } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { optionalLanguage } from '../../fields/language.ts'
import { nullableFields } from '../../nullable-fields.ts'

const Passage = closedObject({ ...nullableFields(Type.String(), { text: 'What is written.' }), ...looseBoxFields })

export default feature({
  feature: 'ocr',
  subfeature: 'ocr',
  fullname: 'OCR: Text recognition',
  description: 'Reads the text in an image or a document.',
  mode: 'sync',
  input: closedObject({
    file: fileInput('The image or document to read.'),
    language: optionalLanguage('Language of the text.'),
  }),
  output: closedObject({
    text: Type.String({ description: 'All the text.' }),
    bounding_boxes: Type.Array(Passage, { description: 'The text in parts with their positions.' }),
    pages: Type.Optional(
      Type.Array(closedObject({ text: Type.String({ description: 'The text of the page.' }) }), {
        description: 'The pages that were read, in their order. Absent if the provider does not tell them apart.',
      }),
    ),
  }),
  example: {
    input: { file: 'https://example.com/sign.png', language: 'en' },
    output: {
      text: 'MIND THE GAP',
      bounding_boxes: [
        { text: 'MIND', left: 0.1, top: 0.4, width: 0.2, height: 0.1 },
        { text: 'THE', left: 0.35, top: 0.4, width: 0.15, height: 0.1 },
        { text: 'GAP', left: 0.55, top: 0.4, width: 0.16, height: 0.1 },
      ],
      pages: [{ text: 'MIND THE GAP' }],
    },
  },
  unit: 'page',
})
