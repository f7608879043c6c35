import Type from '../../../schema/type.ts'
import { analyzedText, textAnalysis } from '../../vendors/microsoft/language.ts'
import { sentimentOf } from '../../results/sentiment-of.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import sentiment from './feature.ts'

const Rate = Type.Number({ minimum: 0, maximum: 1 })
const Scores = Type.Object({ positive: Rate, neutral: Rate, negative: Rate })
const Sentence = Type.Object({ text: Type.String(), sentiment: Type.String(), confidenceScores: Scores })
const judge = textAnalysis(
  'SentimentAnalysis',
  Type.Object({ sentiment: Type.String(), confidenceScores: Scores, sentences: Type.Array(Sentence) }),
)

export default adapter(sentiment, async (task, tools) => {
  const { original, found, units } = await analyzedText(tools, task, judge)
  const output = {
    general_sentiment: sentimentOf(found.sentiment),
    general_sentiment_rate: rateOf(found),
    items: found.sentences.map((one) => ({
      segment: one.text,
      sentiment: sentimentOf(one.sentiment),
      sentiment_rate: rateOf(one),
    })),
  }
  return { output, original, units }
})

/** The confidence of the chosen sentiment; there is none for mixed sentiment. */
function rateOf({
  sentiment: word,
  confidenceScores,
}: {
  sentiment: string
  confidenceScores: Record<string, number>
}) {
  const rate = confidenceScores[word]
  return rate === undefined ? null : score(rate)
}
