import Type from '../../../../base/schema/type.ts'
import { optional, words } from '../../../../base/schema/fields.ts'
import { valueError } from '../../../../base/schema/issue-messages.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'
import { scoreField } from '../../fields/score.ts'

/** All vectors are held in memory at once. */
const MAX_TEXTS = 1_000
const MAX_BYTES = 2_000_000

const Hit = closedObject({
  object: Type.String({ description: 'What this entry is, such as `search_result`.' }),
  document: Type.Integer({ description: 'Which of the texts it is, counted from 0.' }),
  score: scoreField('Similarity to the query, from 0 to 1, by the chosen measure.'),
})

export default feature({
  feature: 'text',
  subfeature: 'search',
  fullname: 'Text: Search',
  description: 'Ranks texts by how well they match a query.',
  mode: 'sync',
  input: closedObject({
    texts: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_TEXTS,
      description: 'The texts to search, up to 1,000. With the query up to 2 MB.',
    }),
    query: Type.String({ description: 'The query.' }),
    similarity_metric: optional(
      words(['cosine', 'hamming', 'manhattan', 'euclidean']),
      'Measure of the similarity of two vectors. `hamming` compares signs; the last two are 1 ÷ (1 + distance).',
      { default: 'cosine' },
    ),
  }),
  rules: ({ texts, query }, loc) => {
    const bytes = [query, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const msg = `The query and the texts should have at most ${MAX_BYTES} bytes of UTF-8 in all, not ${bytes}`
    return bytes <= MAX_BYTES ? [] : [valueError([...loc, 'texts'], msg)]
  },
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
