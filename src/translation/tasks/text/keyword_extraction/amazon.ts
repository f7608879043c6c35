import Type from '../../../../base/schema/type.ts'
import { comprehended } from '../../vendors/amazon/comprehend.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import keywords from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectKeyPhrases.html

const ANALYSIS = { operation: 'DetectKeyPhrases', bytes: 100_000 }

const readReply = replyReader(
  Type.Object({ KeyPhrases: Type.Array(Type.Object({ Text: Type.String(), Score: Type.Number() })) }),
)

export default adapter(keywords, async (task, tools) => {
  const { original, units } = await comprehended(tools, task, ANALYSIS, readReply)
  const found = original.KeyPhrases.toSorted((one, other) => other.Score - one.Score)
  const items = found.map(({ Text, Score }) => ({ keyword: Text, importance: score(Score) }))
  return { output: { items }, original, units }
})
