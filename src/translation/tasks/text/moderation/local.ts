import { contentFinding } from '../../results/content-finding.ts'
import { namedEnglish } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import moderation from './feature.ts'

/** A word list finds only this: threats, hate without swear words and everything else are not detected. */
const COVERS = ['profanity']

export default adapter(moderation, async (task, tools) => {
  const matches = await tools.engine('profanity', { text: namedEnglish(task.input) })
  const items = COVERS.map((label) => contentFinding(label, matches.length > 0 ? 1 : 0))
  const original = { covers: COVERS, matches }
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(moderation, task) }
})
