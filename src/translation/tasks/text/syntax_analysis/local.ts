import { englishText } from '../../vendors/local/text.ts'
import { partOfSpeech } from '../../results/part-of-speech.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import syntax from './feature.ts'

export default adapter(syntax, async (task, tools) => {
  const original = await tools.engine('syntax', { text: await englishText(task.input, tools) })
  // Rules and word lists have no confidence.
  const items = original.map(({ text, part, lemma, features }) => ({
    word: text,
    importance: null,
    tag: partOfSpeech(part),
    lemma,
    others: Object.keys(features).length > 0 ? features : null,
  }))
  return { output: { items }, original, units: measuredUnits(syntax, task) }
})
