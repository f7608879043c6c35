import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'
import { Moderation } from '../../fields/moderation.ts'

export default feature({
  feature: 'image',
  subfeature: 'explicit_content',
  fullname: 'Image: Explicit content',
  description: 'Detects nudity, violence and other unwanted content in an image.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: Moderation,
  example: {
    input: { file: 'https://example.com/beach.jpg' },
    output: {
      nsfw_likelihood: 4,
      nsfw_likelihood_score: 0.7712,
      items: [
        {
          label: 'Female Swimwear Or Underwear',
          likelihood: 4,
          likelihood_score: 0.7712,
          category: 'Sexual',
          subcategory: 'Suggestive',
        },
        { label: 'violence', likelihood: 1, likelihood_score: 0.02, category: 'Violence', subcategory: 'Violence' },
        { label: 'sunbathing', likelihood: 3, likelihood_score: 0.52, category: 'Other', subcategory: null },
      ],
    },
  },
  unit: 'file',
})
