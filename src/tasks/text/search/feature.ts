import Type from '../../../schema/type.ts'
import { optional, words } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Hit = closedObject({
  object: Type.String({ description: 'What this entry is, such as `search_result`.' }),
  document: Type.Integer({ description: 'Which of the texts it is, counted from 0.' }),
  score: Type.Number({ description: "How well it fits, on the provider's own scale." }),
})

export default feature({
  feature: 'text',
  subfeature: 'search',
  fullname: 'Text: Search',
  description: 'Orders texts by how well they fit a query.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), { description: 'The texts to look in.' }),
    query: Type.String({ description: 'What to look for.' }),
    similarity_metric: optional(
      words(['cosine', 'hamming', 'manhattan', 'euclidean']),
      'How the likeness of two texts is measured.',
    ),
  }),
  output: closedObject({ items: Type.Array(Hit, { description: 'The texts, best first.' }) }),
  example: {
    input: { texts: ['A recipe for bread', 'A map of Lisbon'], query: 'baking', similarity_metric: 'cosine' },
    output: {
      items: [
        { object: 'search_result', document: 0, score: 0.83 },
        { object: 'search_result', document: 1, score: 0.12 },
      ],
    },
  },
  unit: 'token',
})
