import Type, { type Static } from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { byOffset, offsetsOfWord } from '../../inputs/place-of-word.ts'
import { analyzeText, LANGUAGE_METER, NEUTRAL_BELOW } from '../../vendors/google/language.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import entitySentiment from './feature.ts'
import { ReportedBalance } from '../../fields/score.ts'

// https://cloud.google.com/natural-language/docs/reference/rest/v1/documents/analyzeEntitySentiment. Version 2 has no such
// method. An entity has mentions, each with a sentiment of its own. Google omits zeros.

/** A sentiment that is strong but near zero in sum is positive and negative. */
const MIXED_FROM = 0.5

type SentimentWord = Static<typeof entitySentiment.output>['items'][number]['sentiment']

const Sentiment = Type.Object({
  score: Type.Optional(ReportedBalance),
  magnitude: Type.Optional(Type.Number({ minimum: 0 })),
})
const Mention = Type.Object({
  text: Type.Object({ content: Type.String(), beginOffset: Type.Optional(Type.Integer()) }),
  sentiment: Type.Optional(Sentiment),
})
const Entity = Type.Object({ type: Type.Optional(Type.String()), mentions: Type.Optional(Type.Array(Mention)) })
const readReply = replyReader(Type.Object({ entities: Type.Optional(Type.Array(Entity)) }))

export default adapter(entitySentiment, async (task, tools) => {
  const { text } = task.input
  const more = { ...task.params, encodingType: 'UTF16' }
  const original = await analyzeText(tools, 'v1/documents:analyzeEntitySentiment', { ...task.input, more }, readReply)
  const items = (original.entities ?? []).flatMap(({ type = 'UNKNOWN', mentions = [] }) => {
    return mentions.map(({ text: { content, beginOffset = 0 }, sentiment }) => {
      return { type, text: content, sentiment: wordFor(sentiment), ...offsetsOfWord(text, content, beginOffset) }
    })
  })
  return { output: { items: items.sort(byOffset) }, original, units: billedCharacters(text, LANGUAGE_METER) }
})

function wordFor({ score = 0, magnitude = 0 }: Static<typeof Sentiment> = {}): SentimentWord {
  if (Math.abs(score) >= NEUTRAL_BELOW) return score > 0 ? 'Positive' : 'Negative'
  return magnitude >= MIXED_FROM ? 'Mixed' : 'Neutral'
}
