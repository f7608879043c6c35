import Type from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { PersonalDataCategoryField, PersonalDataSubcategoryField } from '../../fields/personal-data-categories.ts'
import { scoreField } from '../../fields/score.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

const Entity = closedObject({
  offset: Type.Integer({ minimum: 0, description: 'At which character of the text it begins, from 0.' }),
  length: Type.Integer({ minimum: 0, description: 'How many characters it has.' }),
  category: PersonalDataCategoryField,
  subcategory: PersonalDataSubcategoryField,
  original_label: Type.String({ description: "The provider's own name for it." }),
  content: Type.String({ description: 'What is hidden.' }),
  confidence_score: nullable(scoreField('From 0 to 1.'), 'Confidence of the provider, from 0 to 1.'),
})

export default feature({
  feature: 'text',
  subfeature: 'anonymization',
  fullname: 'Text: Anonymization',
  description: 'Hides names, numbers and other personal data in a text.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: closedObject({
    result: Type.String({ description: 'The text with asterisks in place of what is hidden.' }),
    entities: Type.Array(Entity, { description: 'What was hidden, in the order of the text.' }),
  }),
  example: {
    input: { text: 'Write to Ada at ada@mail.example.', language: 'en' },
    output: {
      result: 'Write to *** at ****************.',
      entities: [
        {
          offset: 9,
          length: 3,
          category: 'PersonalInformation',
          subcategory: 'Name',
          original_label: 'Person',
          content: 'Ada',
          confidence_score: 0.97,
        },
        {
          offset: 16,
          length: 16,
          category: 'PersonalInformation',
          subcategory: 'Email',
          original_label: 'Email',
          content: 'ada@mail.example',
          confidence_score: 0.99,
        },
      ],
    },
  },
  unit: 'character',
})
