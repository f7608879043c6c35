import type { Tools } from '../../feature.ts'
import { declined } from '../../http/declined.ts'
import { acceptText } from '../../inputs/accept-text.ts'

const MAX_TEXTS = 100
/** More than the engine accepts; its tokenizer is slow for much longer texts. */
const MAX_CHARACTERS = 2_000

/** The vectors of up to 100 texts, and of the query if there is one. English only; the language of many short texts is not detected. */
export async function embedLocally(texts: readonly string[], tools: Tools, query?: string): Promise<number[][]> {
  if (texts.length > MAX_TEXTS)
    throw declined(`this provider accepts up to ${MAX_TEXTS} texts, not ${texts.length}`, 422, 'too_many_texts')
  const all = query === undefined ? [...texts] : [query, ...texts]
  for (const text of all) acceptText(text, { characters: MAX_CHARACTERS })
  return await tools.engine('embeddings', { texts: all })
}
