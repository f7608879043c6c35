import { englishText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import keywordExtraction from './feature.ts'

const MAX_KEYWORDS = 20

export default adapter(keywordExtraction, async (task, tools) => {
  const original = await tools.engine('keywords', { text: await englishText(task.input, tools), max: MAX_KEYWORDS })
  const items = original.map(({ phrase, weight }) => ({ keyword: phrase, importance: score(weight) }))
  return { output: { items }, original, units: measuredUnits(keywordExtraction, task) }
})
