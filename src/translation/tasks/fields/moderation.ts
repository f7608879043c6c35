import Type from '../../../base/schema/type.ts'
import { nullable } from '../../../base/schema/fields.ts'
import { closedObject } from '../closed-object.ts'
import { CategoryField, SubcategoryField } from './content-categories.ts'
import { likelihoodField } from './likelihood.ts'
import { scoreField } from './score.ts'

const Finding = closedObject({
  label: Type.String({ description: "The provider's own name of the finding." }),
  likelihood: likelihoodField('Likelihood, from 1 (very unlikely) to 5 (very likely).'),
  likelihood_score: scoreField('The same, from 0 to 1.'),
  category: CategoryField,
  subcategory: nullable(SubcategoryField, 'The exact kind. Null if no name of the list matches.'),
})

/** A category of content that a text or an image is found to contain. */
export const Moderation = closedObject({
  nsfw_likelihood: likelihoodField('The highest likelihood of all findings; 0 if there are none.'),
  nsfw_likelihood_score: scoreField('The highest score of all findings; 0 if there are none.'),
  items: Type.Array(Finding, { description: 'The findings with their likelihoods.' }),
})
