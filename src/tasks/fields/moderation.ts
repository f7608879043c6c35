import Type from '../../schema/type.ts'
import { nullable } from '../../schema/fields.ts'
import { closedObject } from '../closed-object.ts'
import { CategoryField, SubcategoryField } from './content-categories.ts'
import { likelihoodField } from './likelihood.ts'
import { scoreField } from './score.ts'

const Finding = closedObject({
  label: Type.String({ description: "The provider's own name for what was found." }),
  likelihood: likelihoodField('How likely it is, from 1 (hardly) to 5 (very).'),
  likelihood_score: scoreField('The same, from 0 to 1.'),
  category: CategoryField,
  subcategory: nullable(SubcategoryField, 'What it is exactly. Null when no name of the list fits.'),
})

/** A category of content that a text or an image is found to contain. */
export const Moderation = closedObject({
  nsfw_likelihood: likelihoodField('The highest likelihood of all findings; 0 when there are none.'),
  nsfw_likelihood_score: scoreField('The highest score of all findings; 0 when there are none.'),
  items: Type.Array(Finding, { description: 'What was looked for, and how likely it is there.' }),
})
