import Type from '../../../../base/schema/type.ts'
import { comprehended } from '../../vendors/amazon/comprehend.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import namedEntities from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectEntities.html

const ANALYSIS = { operation: 'DetectEntities', bytes: 100_000 }

const readReply = replyReader(
  Type.Object({
    Entities: Type.Array(Type.Object({ Text: Type.String(), Type: Type.String(), Score: Type.Number() })),
  }),
)

export default adapter(namedEntities, async (task, tools) => {
  const { original, units } = await comprehended(tools, task, ANALYSIS, readReply)
  const items = original.Entities.map((one) => ({ entity: one.Text, category: one.Type, importance: score(one.Score) }))
  return { output: { items }, original, units }
})
