import { localText } from '../../calls/local-text.ts'
import { anonymized } from '../../calls/personal-data.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import anonymization from './feature.ts'

/** Numbers have the same form in every language; names are found in English texts, and seldom in others. */
export default adapter(anonymization, async (task, tools) => {
  const text = localText(task.input)
  const original = await tools.engine('privacy', { text })
  const found = original.map(({ start, end, label }) => {
    return { offset: start, length: end - start, label, confidence: null }
  })
  return { output: anonymized(text, found), original, units: measuredUnits(anonymization, task) }
})
