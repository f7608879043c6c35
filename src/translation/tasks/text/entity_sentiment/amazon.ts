import Type from '../../../../base/schema/type.ts'
import { offsetsIn } from '../../inputs/code-points.ts'
import { byOffset, offsetsOfWord } from '../../inputs/place-of-word.ts'
import { comprehended } from '../../vendors/amazon/comprehend.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import entitySentiment from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectTargetedSentiment.html. An entity is a group of mentions,
// each with a sentiment of its own. Positions are in code points.

const ANALYSIS = { operation: 'DetectTargetedSentiment', bytes: 5_000 }
const SENTIMENTS = { POSITIVE: 'Positive', NEGATIVE: 'Negative', NEUTRAL: 'Neutral', MIXED: 'Mixed' } as const
type Sentiment = keyof typeof SENTIMENTS

const Mention = Type.Object({
  Text: Type.String(),
  Type: Type.Optional(Type.String()),
  MentionSentiment: Type.Object({ Sentiment: Type.Enum(Object.keys(SENTIMENTS) as Sentiment[]) }),
  BeginOffset: Type.Optional(Type.Integer({ minimum: 0 })),
})
const Entity = Type.Object({ Mentions: Type.Optional(Type.Array(Mention)) })
const readReply = replyReader(Type.Object({ Entities: Type.Array(Entity) }))

export default adapter(entitySentiment, async (task, tools) => {
  const { original, text, units } = await comprehended(tools, task, ANALYSIS, readReply)
  const offsetOf = offsetsIn(text)
  const mentions = original.Entities.flatMap(({ Mentions = [] }) => Mentions)
  const items = mentions.map((mention) => ({
    type: mention.Type ?? 'OTHER',
    text: mention.Text,
    sentiment: SENTIMENTS[mention.MentionSentiment.Sentiment],
    ...offsetsOfWord(text, mention.Text, offsetOf(mention.BeginOffset ?? 0)),
  }))
  return { output: { items: items.sort(byOffset) }, original, units }
})
