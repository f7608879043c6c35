import Type from '../../../schema/type.ts'
import { optional, words } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Hit = closedObject({
  object: Type.String({ description: 'What this entry is, such as `search_result`.' }),
  document: Type.Integer({ description: 'Which of the texts it is, counted from 0.' }),
  score: Type.Number({ description: "Relevance, on the provider's own scale." }),
})

export default feature({
  feature: 'text',
  subfeature: 'search',
  fullname: 'Text: Search',
  description: 'Ranks texts by how well they match a query.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), { description: 'The texts to search.' }),
    query: Type.String({ description: 'The query.' }),
    similarity_metric: optional(
      words(['cosine', 'hamming', 'manhattan', 'euclidean']),
      'Measure of the similarity of two texts.',
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
