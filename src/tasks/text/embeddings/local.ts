import { acceptText } from '../../inputs/accept-text.ts'
import { declined } from '../../http/declined.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import embeddings from './feature.ts'

const MAX_TEXTS = 100
/** More than the engine accepts; its tokenizer is slow for much longer texts. */
const MAX_CHARACTERS = 2_000
const DIMENSIONS = 512

/** English only; the language of many short texts is not detected. */
export default adapter(embeddings, async (task, tools) => {
  const { texts, dimensions } = task.input
  if (texts.length > MAX_TEXTS)
    throw declined(`this provider accepts up to ${MAX_TEXTS} texts, not ${texts.length}`, 422, 'too_many_texts')
  if (dimensions && dimensions !== DIMENSIONS)
    throw declined(`this provider's vectors have ${DIMENSIONS} dimensions`, 422, 'unsupported_dimensions')
  for (const text of texts) acceptText(text, { characters: MAX_CHARACTERS })
  const vectors = await tools.engine('embeddings', { texts })
  const output = { items: vectors.map((embedding) => ({ embedding })) }
  return { output, original: output, units: measuredUnits(embeddings, task) }
})
