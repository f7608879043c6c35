import { englishText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import topicExtraction from './feature.ts'

const MAX_TOPICS = 5

/** The most important phrases of the text itself: there is no fixed list of topics. */
export default adapter(topicExtraction, async (task, tools) => {
  const original = await tools.engine('keywords', { text: await englishText(task.input, tools), max: MAX_TOPICS })
  const items = original.map(({ phrase, weight }) => {
    return { category: titleOf(phrase), importance: Math.round(weight * 100) / 100 }
  })
  return { output: { items }, original, units: measuredUnits(topicExtraction, task) }
})

function titleOf(phrase: string): string {
  return phrase.replace(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase())
}
