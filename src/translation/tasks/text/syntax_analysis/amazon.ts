import Type from '../../../../base/schema/type.ts'
import { comprehended } from '../../vendors/amazon/comprehend.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { partOfSpeech } from '../../results/part-of-speech.ts'
import { adapter } from '../../feature.ts'
import { ReportedScore, score } from '../../fields/score.ts'
import syntax from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectSyntax.html. It reports no dictionary forms.

const ANALYSIS = { operation: 'DetectSyntax', bytes: 5_000 }

const PartOfSpeech = Type.Object({
  Tag: Type.Optional(Type.String()),
  Score: Type.Optional(ReportedScore),
})
const readReply = replyReader(
  Type.Object({
    SyntaxTokens: Type.Array(Type.Object({ Text: Type.String(), PartOfSpeech: Type.Optional(PartOfSpeech) })),
  }),
)

export default adapter(syntax, async (task, tools) => {
  const { original, units } = await comprehended(tools, task, ANALYSIS, readReply)
  const items = original.SyntaxTokens.map(({ Text, PartOfSpeech: part }) => ({
    word: Text,
    importance: part?.Score === undefined ? null : score(part.Score),
    tag: partOfSpeech(part?.Tag),
    lemma: null,
    others: null,
  }))
  return { output: { items }, original, units }
})
