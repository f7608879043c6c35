import Type from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { providerParams, taskOf } from '../../hooks/task-params.ts'
import { modelCheck, NOTHING_FOUND } from '../check.ts'
import { verdictReader } from '../reply-reader.ts'

const THRESHOLD = 0.5

const read = verdictReader(
  Type.Object({
    items: Type.Array(
      Type.Object({
        label: Type.String(),
        likelihood_score: Type.Number(),
        category: Type.String(),
        subcategory: optional(Type.String(), ''),
      }),
    ),
  }),
)

export default modelCheck({
  description:
    'Finds insults, hate, violence and other unwanted content with a provider of the task `text/moderation`; `local` runs inside of the gateway.',
  params: closedParams({
    ...providerParams,
    threshold: optional(Type.Number({ minimum: 0, maximum: 1 }), 'The score from which a finding counts.', {
      default: THRESHOLD,
    }),
    categories: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 }),
      'The categories, subcategories or labels that count, in the words of `text/moderation`. The default is all.',
    ),
    language: optional(
      Type.String({ minLength: 2, maxLength: 35 }),
      'The language of the texts, if the provider has to know it.',
    ),
  }),
  maxChars: 10_000,
  task: (params) => taskOf('text/moderation', params),
  async run(texts, params, tools) {
    const { language, categories, threshold } = params
    const text = texts.map((one) => one.text).join('\n\n')
    const output = await tools.task(taskOf('text/moderation', params), { text, ...(language && { language }) })
    const wanted = categories && new Set(categories.map((name) => name.toLowerCase()))
    const found = read(output).items.filter(({ label, category, subcategory, likelihood_score }) => {
      if (likelihood_score < (threshold ?? THRESHOLD) || subcategory === 'Safe') return false
      return !wanted || [label, category, subcategory ?? ''].some((name) => wanted.has(name.toLowerCase()))
    })
    return found.length === 0 ? NOTHING_FOUND : { found: [...new Set(found.map(({ label }) => label))] }
  },
})
