import Type from '../../../../base/schema/type.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { IdentityDocument } from '../../fields/identity-document.ts'

export default feature({
  feature: 'ocr',
  subfeature: 'identity_parser',
  fullname: 'OCR: Identity parser',
  description: 'Reads a passport, an identity card or a driving licence.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The document, as an image or a PDF.') }),
  output: closedObject({
    extracted_data: Type.Array(IdentityDocument, { description: 'One entry per document found.' }),
  }),
  example: {
    input: { file: 'https://example.com/passport.jpg' },
    output: {
      extracted_data: [
        withBlanks(IdentityDocument, {
          last_name: { value: 'MARTIN', confidence: 0.99 },
          given_names: [
            { value: 'Maëlys', confidence: 0.98 },
            { value: 'Gaëlle', confidence: 0.97 },
          ],
          birth_place: { value: 'Paris', confidence: 0.96 },
          birth_date: { value: '1990-07-13', confidence: 0.99 },
          issuance_date: { value: '2020-02-11', confidence: 0.98 },
          expire_date: { value: '2030-02-11', confidence: 0.98 },
          document_id: { value: 'X4RTBPFW4', confidence: 0.99 },
          issuing_state: { value: 'France' },
          country: { name: 'France', alpha2: 'fr', alpha3: 'fra', confidence: 0.99 },
          document_type: { value: 'Passport', confidence: 0.99 },
          gender: { value: 'F', confidence: 0.99 },
          nationality: { value: 'French', confidence: 0.98 },
        }),
      ],
    },
  },
  refusesBlank: true,
  unit: 'page',
})
