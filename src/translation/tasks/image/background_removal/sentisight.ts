import Type from '../../../../base/schema/type.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { cutoutOf } from '../../results/cutout.ts'
import { adapter } from '../../feature.ts'
import { askSentisight } from '../../vendors/sentisight.ts'
import backgroundRemoval from './feature.ts'

// It makes a PNG.

const readReply = replyReader(Type.Array(Type.Object({ image: Type.String() }), { minItems: 1 }))

export default adapter(backgroundRemoval, async (task, tools) => {
  const { original } = await askSentisight(tools, task, { model: 'Background-removal' }, readReply)
  const bytes = Buffer.from(original[0]!.image, 'base64')
  if (bytes.length === 0) throw new TaskFailure('garbage', 'the answer of the provider contains no image')
  return await cutoutOf(bytes, 'png', tools)
})
