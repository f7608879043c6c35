import Type from '../../../schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { analyzeText, LANGUAGE_METER } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import topics from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v2/documents/classifyText

const Topic = Type.Object({ name: Type.String(), confidence: Type.Number({ minimum: 0, maximum: 1 }) })
const readReply = replyReader(Type.Object({ categories: Type.Optional(Type.Array(Topic)) }))

export default adapter(topics, async (task, tools) => {
  const original = await analyzeText(
    tools,
    'v2/documents:classifyText',
    { ...task.input, more: task.params },
    readReply,
  )
  const found = (original.categories ?? []).toSorted((one, other) => other.confidence - one.confidence)
  const items = found.map(({ name, confidence }) => ({
    category: name.replace(/^\//, ''),
    importance: Math.round(confidence * 100) / 100,
  }))
  return { output: { items }, original, units: billedCharacters(task.input.text, LANGUAGE_METER) }
})
