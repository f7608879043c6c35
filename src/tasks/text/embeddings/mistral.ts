import Type from '../../../schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import embeddings from './feature.ts'

// https://docs.mistral.ai/api/#tag/embeddings

const Vector = Type.Object({ index: Type.Integer({ minimum: 0 }), embedding: Type.Array(Type.Number()) })
const readReply = replyReader(
  Type.Object({
    data: Type.Array(Vector),
    usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Integer({ minimum: 0 })) })),
  }),
)

export default adapter(embeddings, async (task, tools) => {
  const { texts, dimensions } = task.input
  const fixed = { model: task.model ?? 'mistral-embed', input: texts, encoding_format: 'float' }
  const payload = jsonPayload({ output_dimension: dimensions, ...task.params, ...fixed })
  const original = await askForJson(tools, { path: '/embeddings', payload }, readReply)
  if (original.data.length !== texts.length) throw new TaskFailure('garbage', 'the answer of the provider lacks a text')
  const vectors = original.data.toSorted((one, other) => one.index - other.index)
  const items = vectors.map(({ embedding }) => ({ embedding }))
  return { output: { items }, original, units: original.usage?.total_tokens || measuredUnits(embeddings, task) }
})
