import Type from '../../../../base/schema/type.ts'
import { offsetsIn } from '../../inputs/code-points.ts'
import { comprehended } from '../../vendors/amazon/comprehend.ts'
import { anonymized } from '../../results/personal-data.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import anonymization from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectPiiEntities.html. Positions are in code points.

const ANALYSIS = { operation: 'DetectPiiEntities', bytes: 100_000 }
const Offset = Type.Integer({ minimum: 0 })

const readReply = replyReader(
  Type.Object({
    Entities: Type.Array(
      Type.Object({ Type: Type.String(), Score: Type.Number(), BeginOffset: Offset, EndOffset: Offset }),
    ),
  }),
)

export default adapter(anonymization, async (task, tools) => {
  const { original, text, units } = await comprehended(tools, task, ANALYSIS, readReply)
  const offsetOf = offsetsIn(text)
  const found = original.Entities.map(({ Type: label, Score, BeginOffset, EndOffset }) => {
    const offset = offsetOf(BeginOffset)
    return { offset, length: offsetOf(EndOffset) - offset, label, confidence: Score }
  })
  return { output: anonymized(text, found), original, units }
})
