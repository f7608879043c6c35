import Type from '../../../schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { analyzeText, LANGUAGE_METER, NEUTRAL_BELOW } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import sentiment from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v2/documents/analyzeSentiment

const Sentiment = Type.Object({ score: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })) })
const Sentence = Type.Object({ text: Type.Object({ content: Type.String() }), sentiment: Sentiment })
const readReply = replyReader(
  Type.Object({ documentSentiment: Sentiment, sentences: Type.Optional(Type.Array(Sentence)) }),
)

export default adapter(sentiment, async (task, tools) => {
  const more = { ...task.params, encodingType: 'UTF16' }
  const original = await analyzeText(tools, 'v2/documents:analyzeSentiment', { ...task.input, more }, readReply)
  const whole = judged(original.documentSentiment.score)
  const items = (original.sentences ?? []).map((one) => {
    const { word, rate } = judged(one.sentiment.score)
    return { segment: one.text.content, sentiment: word, sentiment_rate: rate }
  })
  const output = { general_sentiment: whole.word, general_sentiment_rate: whole.rate, items }
  return { output, original, units: billedCharacters(task.input.text, LANGUAGE_METER) }
})

/** From -1 to 1; Google omits a 0. */
function judged(value = 0) {
  const word = Math.abs(value) < NEUTRAL_BELOW ? 'Neutral' : value > 0 ? 'Positive' : 'Negative'
  return { word, rate: score(Math.abs(value)) } as const
}
