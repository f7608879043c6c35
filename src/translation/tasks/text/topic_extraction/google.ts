import Type from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { analyzeText, LANGUAGE_METER, ProtoClass } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import topics from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v2/documents/classifyText

const readReply = replyReader(Type.Object({ categories: Type.Optional(Type.Array(ProtoClass)) }))

export default adapter(topics, async (task, tools) => {
  const original = await analyzeText(
    tools,
    'v2/documents:classifyText',
    { ...task.input, more: task.params },
    readReply,
  )
  const items = (original.categories ?? []).map(({ name, confidence = 0 }) => ({
    category: name.replace(/^\//, ''),
    importance: Math.round(confidence * 100) / 100,
  }))
  items.sort((one, other) => other.importance - one.importance)
  return { output: { items }, original, units: billedCharacters(task.input.text, LANGUAGE_METER) }
})
