import Type from '../../../schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import embeddings from './feature.ts'

// https://platform.openai.com/docs/api-reference/embeddings

const readReply = replyReader(
  Type.Object({
    data: Type.Array(Type.Object({ index: Type.Integer(), embedding: Type.Array(Type.Number()) })),
    usage: Type.Optional(Type.Object({ total_tokens: Type.Integer({ minimum: 0 }) })),
  }),
)

export default adapter(embeddings, async (task, tools) => {
  const { texts, dimensions } = task.input
  const model = task.model ?? 'text-embedding-3-small'
  // Callers must not override the texts and the model, which determine the price.
  const fixed = { model, input: texts, encoding_format: 'float' }
  const payload = jsonPayload({ dimensions, ...task.params, ...fixed })
  const original = await askForJson(tools, { path: '/embeddings', payload }, readReply)
  const vectors = original.data.toSorted((one, other) => one.index - other.index)
  if (vectors.length !== texts.length) throw new TaskFailure('garbage', 'the answer of the provider lacks some texts')
  const units = original.usage?.total_tokens ?? measuredUnits(embeddings, task)
  return { output: { items: vectors.map(({ embedding }) => ({ embedding })) }, original, units }
})
