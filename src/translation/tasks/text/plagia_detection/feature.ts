import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'
import { TextInput } from '../../fields/text-input.ts'

const Candidate = closedObject({
  url: Type.String({ description: 'Where the passage may come from.' }),
  plagia_score: scoreField('Similarity of the two.'),
  prediction: Type.String({ description: '`plagiarized` for a score above 0.5, else `not plagiarized`.' }),
  plagiarized_text: Type.String({ description: 'What both have in common.' }),
})

const Passage = closedObject({
  text: Type.String({ description: 'A passage of the text.' }),
  candidates: Type.Array(Candidate, { description: 'Pages that have something like it.' }),
})

export default feature({
  feature: 'text',
  subfeature: 'plagia_detection',
  fullname: 'Text: Plagiarism detection',
  description: 'Finds web pages that a text may have been copied from.',
  mode: 'sync',
  input: closedObject({ ...TextInput.properties, title: optional(Type.String(), 'Title of the text.') }),
  output: closedObject({
    plagia_score: scoreField('How much of the text is copied, from 0 to 1.'),
    items: Type.Array(Passage, { description: 'Passages that were found elsewhere.' }),
  }),
  example: {
    input: { text: 'It was the best of times, it was the worst of times.', title: 'My novel' },
    output: {
      plagia_score: 1,
      items: [
        {
          text: 'It was the best of times, it was the worst of times.',
          candidates: [
            {
              url: 'https://library.example/a-tale-of-two-cities',
              plagia_score: 0.98,
              prediction: 'plagiarized',
              plagiarized_text: 'It was the best of times, it was the worst of times',
            },
          ],
        },
      ],
    },
  },
  unit: 'character',
})
