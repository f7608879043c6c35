import Type from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { analyzeText, LANGUAGE_METER, NEUTRAL_BELOW } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { strongerPole } from '../../results/sentiment-of.ts'
import { largest, ReportedBalance, score } from '../../fields/score.ts'
import sentiment from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v2/documents/analyzeSentiment

const Sentiment = Type.Object({ score: Type.Optional(ReportedBalance) })
const Text = Type.Object({ content: Type.Optional(Type.String()) })
const Sentence = Type.Object({ text: Text, sentiment: Sentiment })
const readReply = replyReader(
  Type.Object({ documentSentiment: Sentiment, sentences: Type.Optional(Type.Array(Sentence)) }),
)

export default adapter(sentiment, async (task, tools) => {
  const more = { ...task.params, encodingType: 'UTF16' }
  const original = await analyzeText(tools, 'v2/documents:analyzeSentiment', { ...task.input, more }, readReply)
  const items = (original.sentences ?? []).map(({ text, sentiment }) => {
    return { segment: text.content ?? '', ...judged(sentiment.score) }
  })
  const single = judged(original.documentSentiment.score)
  const whole = single.sentiment === 'Neutral' ? (mixed(items) ?? single) : single
  const output = { general_sentiment: whole.sentiment, general_sentiment_rate: whole.sentiment_rate, items }
  return { output, original, units: billedCharacters(task.input.text, LANGUAGE_METER) }
})

/** From -1 to 1; Google omits a 0. */
function judged(value = 0) {
  const sentiment = Math.abs(value) < NEUTRAL_BELOW ? 'Neutral' : value > 0 ? 'Positive' : 'Negative'
  return { sentiment, sentiment_rate: score(Math.abs(value)) } as const
}

/** The score of a mixed text is near zero because its sentences cancel each other out. */
function mixed(items: readonly ReturnType<typeof judged>[]) {
  const rates = (pole: string) => items.filter(({ sentiment }) => sentiment === pole).map((one) => one.sentiment_rate)
  const [positive, negative] = [rates('Positive'), rates('Negative')]
  if (positive.length === 0 || negative.length === 0) return undefined
  return strongerPole({ positive: largest(positive), negative: largest(negative) })
}
