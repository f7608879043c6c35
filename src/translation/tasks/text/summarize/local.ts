import { localText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import summarize from './feature.ts'

export default adapter(summarize, async (task, tools) => {
  const sentences = task.input.output_sentences ?? 1
  const original = await tools.engine('summary', { text: localText(task.input), sentences })
  return { output: { result: original.join(' ') }, original, units: measuredUnits(summarize, task) }
})
