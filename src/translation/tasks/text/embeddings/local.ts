import { declined } from '../../http/declined.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { embedLocally } from '../../vendors/local/embed.ts'
import embeddings from './feature.ts'

const DIMENSIONS = 512

export default adapter(embeddings, async (task, tools) => {
  const { texts, dimensions } = task.input
  if (dimensions && dimensions !== DIMENSIONS)
    throw declined(`this provider's vectors have ${DIMENSIONS} dimensions`, 422, 'unsupported_dimensions')
  const vectors = await embedLocally(texts, tools)
  const output = { items: vectors.map((embedding) => ({ embedding })) }
  return { output, original: output, units: measuredUnits(embeddings, task) }
})
