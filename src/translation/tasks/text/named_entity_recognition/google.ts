import Type from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { analyzeText, LANGUAGE_METER } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import namedEntities from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v1/documents/analyzeEntities. Version 1 reports the salience of
// an entity; version 2 does not.

const Entity = Type.Object({
  name: Type.String(),
  type: Type.Optional(Type.String()),
  salience: Type.Optional(Type.Number()),
})
const readReply = replyReader(Type.Object({ entities: Type.Optional(Type.Array(Entity)) }))

export default adapter(namedEntities, async (task, tools) => {
  const more = { ...task.params, encodingType: 'UTF16' }
  const original = await analyzeText(tools, 'v1/documents:analyzeEntities', { ...task.input, more }, readReply)
  const items = (original.entities ?? []).map(({ name, type = 'UNKNOWN', salience = 0 }) => ({
    entity: name,
    category: type,
    importance: score(salience),
  }))
  return { output: { items }, original, units: billedCharacters(task.input.text, LANGUAGE_METER) }
})
