import Type from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { numberAt } from '../../results/loose-fields.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { askSightengine } from '../../vendors/sightengine.ts'
import explicitContent from './feature.ts'

// https://sightengine.com/docs/nudity-detection-model and the pages of the other models

/** Each model is one billed operation. */
const MODELS = ['nudity-2.1', 'gore-2.0', 'weapon', 'recreational_drug', 'offensive-2.0']

/** The path of a score in the answer, by label, and its name in our list of categories. */
const FINDINGS: { label: string; path: string[]; content: string }[] = [
  { label: 'sexual_activity', path: ['nudity', 'sexual_activity'], content: 'sexual activity' },
  { label: 'sexual_display', path: ['nudity', 'sexual_display'], content: 'nudity' },
  { label: 'erotica', path: ['nudity', 'erotica'], content: 'partial nudity' },
  { label: 'very_suggestive', path: ['nudity', 'very_suggestive'], content: 'suggestive' },
  { label: 'suggestive', path: ['nudity', 'suggestive'], content: 'suggestive' },
  { label: 'gore', path: ['gore', 'prob'], content: 'gore' },
  { label: 'firearm', path: ['weapon', 'classes', 'firearm'], content: 'weapons' },
  { label: 'knife', path: ['weapon', 'classes', 'knife'], content: 'weapons' },
  { label: 'recreational_drug', path: ['recreational_drug', 'prob'], content: 'illicit drugs' },
  { label: 'nazi', path: ['offensive', 'nazi'], content: 'nazi party' },
  { label: 'supremacist', path: ['offensive', 'supremacist'], content: 'white supremacy' },
  { label: 'terrorist', path: ['offensive', 'terrorist'], content: 'extremist' },
  { label: 'middle_finger', path: ['offensive', 'middle_finger'], content: 'middle finger' },
]

const readReply = replyReader(Type.Object({ nudity: mapOf(Type.Unknown()) }))

export default adapter(explicitContent, async (task, tools) => {
  const original = await askSightengine(tools, task, MODELS.join(','), readReply)
  const items = FINDINGS.flatMap(({ label, path, content }) => {
    const value = numberAt(original, ...path)
    if (value === null || value < 0 || value > 1) return []
    return [{ ...contentFinding(content, value), label }]
  })
  return { output: { ...worstOf(items), items }, original, units: MODELS.length }
})
