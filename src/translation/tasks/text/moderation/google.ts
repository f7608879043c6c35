import Type from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { analyzeText, ProtoClass } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import moderation from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v2/documents/moderateText

const METER = { step: 100 }

const readReply = replyReader(Type.Object({ moderationCategories: Type.Optional(Type.Array(ProtoClass)) }))

export default adapter(moderation, async (task, tools) => {
  const original = await analyzeText(
    tools,
    'v2/documents:moderateText',
    { ...task.input, more: task.params },
    readReply,
  )
  const categories = original.moderationCategories ?? []
  const items = categories.map(({ name, confidence = 0 }) => contentFinding(name, confidence))
  return { output: { ...worstOf(items), items }, original, units: billedCharacters(task.input.text, METER) }
})
