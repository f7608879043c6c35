import Type, { type Static } from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { analyzeText, LANGUAGE_METER } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { partOfSpeech } from '../../results/part-of-speech.ts'
import { adapter } from '../../feature.ts'
import syntax from './feature.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v1/documents/analyzeSyntax. Version 2 has no such method. Google
// omits zeros: the place of the first word, the index of the first head, properties that are unknown.

const Dependency = Type.Object({
  headTokenIndex: Type.Optional(Type.Integer({ minimum: 0 })),
  label: Type.Optional(Type.String()),
})
const Token = Type.Object({
  text: Type.Object({ content: Type.Optional(Type.String()) }),
  partOfSpeech: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
  dependencyEdge: Type.Optional(Dependency),
  lemma: Type.Optional(Type.String()),
})
const readReply = replyReader(Type.Object({ tokens: Type.Optional(Type.Array(Token)) }))

export default adapter(syntax, async (task, tools) => {
  const more = { ...task.params, encodingType: 'UTF16' }
  const original = await analyzeText(tools, 'v1/documents:analyzeSyntax', { ...task.input, more }, readReply)
  const items = (original.tokens ?? []).map((token) => ({
    word: token.text.content ?? '',
    importance: null,
    tag: partOfSpeech(knownIn(token.partOfSpeech?.tag)),
    lemma: token.lemma || null,
    others: othersOf(token),
  }))
  return { output: { items }, original, units: billedCharacters(task.input.text, LANGUAGE_METER) }
})

/** Number, tense, gender and so on, and which word of the text this one depends on. */
function othersOf({ partOfSpeech: properties = {}, dependencyEdge }: Static<typeof Token>) {
  const { tag: _, ...rest } = properties
  const present = Object.entries(rest).filter(([, value]) => knownIn(value) !== undefined)
  const label = knownIn(dependencyEdge?.label)
  const dependency = label && { dependency: label, head: dependencyEdge?.headTokenIndex ?? 0 }
  const others = { ...Object.fromEntries(present), ...dependency }
  return Object.keys(others).length > 0 ? others : null
}

function knownIn(value: unknown): string | undefined {
  return typeof value === 'string' && !/(^|_)UNKNOWN$/.test(value) ? value : undefined
}
