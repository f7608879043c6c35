import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { language, optionalLanguage } from '../../fields/language.ts'

export default feature({
  feature: 'translation',
  subfeature: 'automatic_translation',
  fullname: 'Translation: Text',
  description: 'Translates a text.',
  mode: 'sync',
  input: closedObject({
    text: Type.String({ description: 'The text to translate.' }),
    target_language: language('Language to translate to, as an ISO code.'),
    source_language: optionalLanguage('Language of the text.'),
  }),
  output: closedObject({ text: Type.String({ description: 'The translation.' }) }),
  example: {
    input: { text: 'Where is the station?', target_language: 'fr', source_language: 'en' },
    output: { text: 'Où est la gare ?' },
  },
  unit: 'character',
})
