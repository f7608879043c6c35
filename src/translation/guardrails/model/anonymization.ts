import Type from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { providerParams, taskOf } from '../../hooks/task-params.ts'
import { modelCheck, NOTHING_FOUND } from '../check.ts'
import { joinedText, MAX_JOINED, spansInTexts } from '../remote/joined-texts.ts'
import { verdictReader } from '../reply-reader.ts'

const TASK = 'text/anonymization'
const SCORE = 0.5

const read = verdictReader(
  Type.Object({
    entities: Type.Array(
      Type.Object({
        offset: Type.Integer({ minimum: 0 }),
        length: Type.Integer({ minimum: 0 }),
        category: Type.String(),
        subcategory: Type.String(),
        confidence_score: Type.Unsafe<number | null>({}),
      }),
    ),
  }),
)

export default modelCheck({
  description:
    'Finds personal data, also names and addresses, with a provider of the task `text/anonymization`; `local` runs inside of the ' +
    'gateway, and finds names mainly in English texts. The gateway puts placeholders in their place.',
  params: closedParams({
    ...providerParams,
    kinds: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 }),
      'The categories and subcategories that count, in the words of `text/anonymization`, such as `Name` and `Address`. The default is all.',
    ),
    score: optional(
      Type.Number({ minimum: 0, maximum: 1 }),
      'How sure the provider has to be, if it says how sure it is.',
      { default: SCORE },
    ),
    language: optional(
      Type.String({ minLength: 2, maxLength: 35 }),
      'The language of the texts, if the provider has to know it.',
    ),
  }),
  rewrites: true,
  maxChars: 10_000,
  maxTexts: MAX_JOINED,
  task: (params) => taskOf(TASK, params),
  async run(texts, params, tools) {
    const { language, kinds, score } = params
    const input = { text: joinedText(texts), ...(language && { language }) }
    const { entities } = read(await tools.task(taskOf(TASK, params), input))
    const wanted = kinds && new Set(kinds.map((name) => name.toLowerCase()))
    const certain = entities.filter(({ category, subcategory, confidence_score }) => {
      if ((confidence_score ?? 1) < (score ?? SCORE)) return false
      return !wanted || [category, subcategory].some((name) => wanted.has(name.toLowerCase()))
    })
    if (certain.length === 0) return NOTHING_FOUND
    const spans = certain.map(({ offset, length, subcategory: rule }) => ({ from: offset, to: offset + length, rule }))
    return { found: [...new Set(spans.map(({ rule }) => rule))], spans: spansInTexts(spans, texts) }
  },
})
