import Type, { type Static } from '../../../../base/schema/type.ts'
import { analyzedText, textAnalysis } from '../../vendors/microsoft/language.ts'
import { sentimentOf, strongerPole } from '../../results/sentiment-of.ts'
import { adapter } from '../../feature.ts'
import { ReportedScore, score } from '../../fields/score.ts'
import sentiment from './feature.ts'

const Rate = ReportedScore
const Scores = Type.Object({ positive: Rate, neutral: Rate, negative: Rate })
const Sentence = Type.Object({ text: Type.String(), sentiment: Type.String(), confidenceScores: Scores })
const judge = textAnalysis(
  'SentimentAnalysis',
  Type.Object({ sentiment: Type.String(), confidenceScores: Scores, sentences: Type.Array(Sentence) }),
)

export default adapter(sentiment, async (task, tools) => {
  const { original, found, units } = await analyzedText(tools, task, judge)
  const whole = judged(found)
  const items = found.sentences.map((one) => ({ segment: one.text, ...judged(one) }))
  const output = { general_sentiment: whole.sentiment, general_sentiment_rate: whole.sentiment_rate, items }
  return { output, original, units }
})

type Judged = { sentiment: string; confidenceScores: Static<typeof Scores> }

function judged({ sentiment: word, confidenceScores }: Judged) {
  if (word === 'mixed') return strongerPole(confidenceScores)
  const sentiment = sentimentOf(word)
  const { positive: Positive, neutral: Neutral, negative: Negative } = confidenceScores
  return { sentiment, sentiment_rate: score({ Positive, Neutral, Negative }[sentiment]) }
}
