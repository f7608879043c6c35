import Type from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { ownOf } from '../../../../base/schema/record.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { dataUrlOf } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import explicitContent from './feature.ts'

// https://platform.openai.com/docs/guides/moderation. Categories that apply to texts only are left out.

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'], megabytes: 20 }

const Verdict = Type.Object({
  category_scores: mapOf(Type.Number()),
  category_applied_input_types: mapOf(Type.Array(Type.String())),
})
const readReply = replyReader(Type.Object({ results: Type.Array(Verdict, { minItems: 1, maxItems: 1 }) }))

export default adapter(explicitContent, async (task, tools) => {
  const url = await dataUrlOf(acceptFile(task.files.file!, ACCEPTED))
  const model = task.model ?? 'omni-moderation-latest'
  const payload = jsonPayload({ ...task.params, model, input: [{ type: 'image_url', image_url: { url } }] })
  const original = await askForJson(tools, { path: '/moderations', payload }, readReply)
  const { category_scores, category_applied_input_types: applied } = original.results[0]!
  const seen = Object.entries(category_scores).filter(([label]) => ownOf(applied, label)?.includes('image'))
  const items = seen.map(([label, value]) => contentFinding(label, value))
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(explicitContent, task) }
})
