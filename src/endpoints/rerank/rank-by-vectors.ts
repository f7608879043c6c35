import type { EmbeddingsRequest } from '../../contract/embeddings.ts'
import type { RerankCall, Ranking } from '../../translation/dialects/rerank-wires/rerank-codec.ts'
import { askForVectors, retrievalFields, tokensOf } from '../embeddings/ask-for-vectors.ts'
import { inOrder, vectorOf } from '../embeddings/vectors-in-order.ts'
import type { ChatAttempt } from '../../calls/routing/chat-targets.ts'
import { similarityTo } from '../../translation/tasks/results/similarity.ts'
import { embedLocally } from '../../translation/tasks/vendors/local/embed.ts'
import type { Exchange } from '../../calls/upstream/endpoint-plan.ts'

// An embedding model sorts documents by the similarity of their vectors to that of the query.

/** `slot` lets other requests have a turn. */
type Turns = () => Promise<void> | undefined

/** Vectors that are compared before other requests get a turn. */
const VECTORS_AT_ONCE = 16

/** Asks an embedding model. Where a query gets other vectors than documents, it is sent by itself. */
export async function rankByVectors(
  { query, documents }: RerankCall,
  attempt: ChatAttempt,
  slot: Turns,
): Promise<Ranking> {
  const { target } = attempt
  const fields = retrievalFields(target)
  const answers = fields
    ? [await ask([query], fields.query), await ask([...documents], fields.document)]
    : [await ask([query, ...documents], {})]
  const [ofQuery = [], ...others] = answers.flatMap(({ vectors }) => vectors)
  return {
    results: await compared(ofQuery, others, slot),
    tokens: answers.reduce((sum, { tokens }) => sum + tokens, 0),
  }

  async function ask(input: string[], more: object) {
    const body: EmbeddingsRequest = { ...more, model: target.id, input, encoding_format: 'float' }
    const reply = await askForVectors(body, attempt)
    return { vectors: inOrder(reply.data, input.length).map(vectorOf), tokens: tokensOf(input, reply) }
  }
}

/** The engine inside of the gateway, which counts no tokens. */
export async function rankByEngine({ query, documents }: RerankCall, { tools }: Exchange, slot: Turns) {
  const [ofQuery = [], ...others] = await embedLocally(documents, tools, query)
  return { results: await compared(ofQuery, others, slot) }
}

async function compared(query: readonly number[], vectors: readonly number[][], slot: Turns) {
  const similarity = similarityTo(query, 'cosine')
  const results: Ranking['results'] = []
  for (const [index, vector] of vectors.entries()) {
    results.push({ index, score: similarity(vector) })
    if (index % VECTORS_AT_ONCE === 0) await slot()
  }
  return results
}
