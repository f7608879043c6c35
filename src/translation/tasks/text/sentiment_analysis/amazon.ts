import Type from '../../../../base/schema/type.ts'
import { comprehended } from '../../vendors/amazon/comprehend.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { sentimentOf, strongerPole } from '../../results/sentiment-of.ts'
import { adapter } from '../../feature.ts'
import { ReportedScore, score } from '../../fields/score.ts'
import sentiment from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectSentiment.html. It rates the text as a whole.

const ANALYSIS = { operation: 'DetectSentiment', bytes: 5_000 }
const Rate = ReportedScore

const readReply = replyReader(
  Type.Object({
    Sentiment: Type.String(),
    SentimentScore: Type.Object({ Positive: Rate, Negative: Rate, Neutral: Rate, Mixed: Rate }),
  }),
)

export default adapter(sentiment, async (task, tools) => {
  const { original, units } = await comprehended(tools, task, ANALYSIS, readReply)
  const { sentiment: general_sentiment, sentiment_rate } = judged(original)
  return { output: { general_sentiment, general_sentiment_rate: sentiment_rate, items: [] }, original, units }
})

function judged({ Sentiment, SentimentScore }: ReturnType<typeof readReply>) {
  const { Positive: positive, Negative: negative } = SentimentScore
  if (Sentiment === 'MIXED') return strongerPole({ positive, negative })
  const sentiment = sentimentOf(Sentiment)
  return { sentiment, sentiment_rate: score(SentimentScore[sentiment]) }
}
