import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { numberAt, textAt } from '../../results/loose-fields.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { sentimentOf, strongerPole } from '../../results/sentiment-of.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { SAPLING_PROOF } from '../../vendors/sapling.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import sentimentAnalysis from './feature.ts'

// https://sapling.ai/docs/api/sentiment. Each sentence has all sentiments, the most likely first.

/** A score and a label. */
const Rated = Type.Array(Type.Unknown())
const Ranking = Type.Array(Rated, { minItems: 1 })

const readReply = replyReader(
  Type.Object({ sents: Type.Array(Type.String()), results: Type.Array(Ranking), overall: Ranking }),
)

export default adapter(sentimentAnalysis, async (task, tools) => {
  const payload = jsonPayload({ ...task.params, text: task.input.text, key: undefined })
  const original = await askForJson(tools, { path: '/sentiment', payload, proof: SAPLING_PROOF }, readReply)
  const whole = likeliest(original.overall)
  const items = original.sents.map((segment, index) => ({ segment, ...likeliest(original.results[index] ?? []) }))
  const output = { general_sentiment: whole.sentiment, general_sentiment_rate: whole.sentiment_rate, items }
  return { output, original, units: measuredUnits(sentimentAnalysis, task) }
})

function likeliest(ranking: readonly unknown[]) {
  const [first] = ranking
  const [rate, label] = [numberAt(first, 0), textAt(first, 1)]
  if (label?.toLowerCase() === 'mixed')
    return strongerPole({ positive: rateOf(ranking, 'positive'), negative: rateOf(ranking, 'negative') })
  if (rate !== null && label !== null) return { sentiment: sentimentOf(label), sentiment_rate: score(rate) }
  throw new TaskFailure('garbage', 'the answer of the provider lacks the sentiment of a sentence')
}

function rateOf(ranking: readonly unknown[], word: string): number {
  return (
    numberAt(
      ranking.find((one) => textAt(one, 1)?.toLowerCase() === word),
      0,
    ) ?? 0
  )
}
