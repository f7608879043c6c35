import { closedObject } from '../../closed-object.ts'
import { EXAMPLE_LETTER } from '../../example-files.ts'
import { feature, fileInput } from '../../feature.ts'
import { language, optionalLanguage } from '../../fields/language.ts'
import { base64Field, resourceUrlField } from '../../fields/produced-file.ts'

export default feature({
  feature: 'translation',
  subfeature: 'document_translation',
  fullname: 'Translation: Document',
  description: 'Translates a document and keeps its layout.',
  mode: 'sync',
  input: closedObject({
    file: fileInput('The document to translate.'),
    target_language: language('Language to translate to, as an ISO code.'),
    source_language: optionalLanguage('Language of the document.'),
  }),
  output: closedObject({
    file: base64Field('The translated document.'),
    document_resource_url: resourceUrlField(),
  }),
  example: {
    input: { file: 'https://example.com/letter.txt', target_language: 'fr', source_language: 'en' },
    output: { file: EXAMPLE_LETTER, document_resource_url: 'https://gateway.example/files/letter.txt' },
  },
  unit: 'page',
})
