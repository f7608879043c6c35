import { englishText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import namedEntities from './feature.ts'

export default adapter(namedEntities, async (task, tools) => {
  const original = await tools.engine('entities', { text: await englishText(task.input, tools) })
  // Rules and name lists have no confidence.
  const items = original.map(({ text, label }) => ({ entity: text, category: label, importance: null }))
  return { output: { items }, original, units: measuredUnits(namedEntities, task) }
})
