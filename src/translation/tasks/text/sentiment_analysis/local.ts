import { englishText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import sentimentAnalysis from './feature.ts'

/** The threshold that the authors of the word list recommend. */
const NEUTRAL_BELOW = 0.05

export default adapter(sentimentAnalysis, async (task, tools) => {
  const original = await tools.engine('sentiment', { text: await englishText(task.input, tools) })
  const whole = toSentiment(original.whole)
  const items = original.sentences.map(({ text, score: value }) => ({ segment: text, ...toSentiment(value) }))
  const output = { general_sentiment: whole.sentiment, general_sentiment_rate: whole.sentiment_rate, items }
  return { output, original, units: measuredUnits(sentimentAnalysis, task) }
})

/** A text is the more neutral the closer its score is to zero. */
function toSentiment(value: number) {
  const strength = Math.abs(value)
  if (strength < NEUTRAL_BELOW) return { sentiment: 'Neutral' as const, sentiment_rate: score(1 - strength) }
  return { sentiment: value > 0 ? ('Positive' as const) : ('Negative' as const), sentiment_rate: score(strength) }
}
