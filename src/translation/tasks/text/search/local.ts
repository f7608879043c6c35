import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { ranked, similarityTo } from '../../results/similarity.ts'
import { embedLocally } from '../../vendors/local/embed.ts'
import search from './feature.ts'

export default adapter(search, async (task, tools) => {
  const { texts, query, similarity_metric } = task.input
  const [ofQuery, ...ofTexts] = await embedLocally(texts, tools, query)
  const output = ranked(ofTexts.map(similarityTo(ofQuery!, similarity_metric)))
  return { output, original: output, units: measuredUnits(search, task) }
})
