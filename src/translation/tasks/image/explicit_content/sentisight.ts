import Type from '../../../../base/schema/type.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { adapter } from '../../feature.ts'
import { askSentisight, fractionOf } from '../../vendors/sentisight.ts'
import explicitContent from './feature.ts'

// It has two classes, of which only one is a finding.

const SAFE = 'safe'

const Class = Type.Object({ label: Type.String(), score: Type.Number({ minimum: 0 }) })
const readReply = replyReader(Type.Array(Class, { minItems: 1 }))

export default adapter(explicitContent, async (task, tools) => {
  const { original } = await askSentisight(tools, task, { model: 'NSFW-classification' }, readReply)
  const found = original.filter(({ label }) => label !== SAFE)
  const items = found.map(({ label, score }) => contentFinding(label, fractionOf(score)))
  return { output: { ...worstOf(items), items }, original, units: 1 }
})
