import { feature } from '../../feature.ts'
import { Moderation } from '../../fields/moderation.ts'
import { TextInLanguageInput } from '../../fields/text-input.ts'

export default feature({
  feature: 'text',
  subfeature: 'moderation',
  fullname: 'Text: Moderation',
  description: 'Detects insults, hate, violence and other unwanted content in a text.',
  mode: 'sync',
  input: TextInLanguageInput,
  output: Moderation,
  example: {
    input: { text: 'You are an idiot and I will find you.', language: 'en' },
    output: {
      nsfw_likelihood: 5,
      nsfw_likelihood_score: 0.9124,
      items: [
        { label: 'insult', likelihood: 5, likelihood_score: 0.9124, category: 'Toxic', subcategory: 'Insult' },
        {
          label: 'harassment/threatening',
          likelihood: 4,
          likelihood_score: 0.7301,
          category: 'HateAndExtremism',
          subcategory: 'Threatening',
        },
        { label: 'sexual', likelihood: 1, likelihood_score: 0.0012, category: 'Sexual', subcategory: 'Sexual' },
      ],
    },
  },
  unit: 'character',
})
