import { englishText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import spellCheck from './feature.ts'

export default adapter(spellCheck, async (task, tools) => {
  const text = await englishText(task.input, tools)
  const original = await tools.engine('spelling', { text })
  const items = original.map(({ start, end, label, suggestions }) => ({
    text: text.slice(start, end),
    type: label,
    offset: start,
    length: end - start,
    suggestions: suggestions.map((suggestion) => ({ suggestion, score: null })),
  }))
  return { output: { text, items }, original, units: measuredUnits(spellCheck, task) }
})
