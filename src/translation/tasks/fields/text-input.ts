import Type from '../../../base/schema/type.ts'
import { closedObject } from '../closed-object.ts'
import { optionalLanguage } from './language.ts'

/** The input of a task that reads one text. */
export const TextInput = closedObject({ text: Type.String({ description: 'The text to analyze.' }) })

/** The input of a task that reads one text, with an optional language. */
export const TextInLanguageInput = closedObject({
  ...TextInput.properties,
  language: optionalLanguage('Language of the text.'),
})
