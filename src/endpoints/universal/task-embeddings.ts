import type { Static } from '../../base/schema/type.ts'
import { EmbeddingsRequest } from '../../contract/embeddings.ts'
import { problem } from '../../contract/problems.ts'
import type { Feature, Result, Task } from '../../translation/tasks/feature.ts'
import { ranked, similarityTo } from '../../translation/tasks/results/similarity.ts'
import type embeddingsTask from '../../translation/tasks/text/embeddings/feature.ts'
import searchTask from '../../translation/tasks/text/search/feature.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { openOrder } from '../../calls/attempts/attempt.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import { askForVectors, canEmbed, retrievalFields, tokensOf } from '../embeddings/ask-for-vectors.ts'
import { inOrder, vectorOf } from '../embeddings/vectors-in-order.ts'
import { EMBEDDINGS } from '../embeddings/embeddings.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import { targetsOfKind, type TargetServices } from '../../calls/routing/targets-of-kind.ts'
import { isEmbeddingTask } from './default-models.ts'
import { checkModelParams } from './model-params.ts'
import type { TaskModel } from './task-model.ts'

// The tasks `text/embeddings` and `text/search`. Every model of the endpoint for embeddings can do them, through the same code.

/** Vectors that are converted or compared before other requests get a turn. */
const VECTORS_AT_ONCE = 16

/** Whether embedding models do the task and the provider may have some. */
export function isEmbeddedBy(feature: Feature, name: string, { config }: Pick<CallServices, 'config'>): boolean {
  const named = providerNamed(name, config.providers)
  if (!isEmbeddingTask(feature) || named?.simulated) return false
  const provider = named?.chatOf ? config.providers[named.chatOf] : named
  return provider !== undefined && canEmbed(provider)
}

/** Looks up the model now and not when it is called, so that its errors are reported first. */
export function embeddingTarget(
  { feature, subfeature }: Feature,
  { requested, model, resolved }: TaskModel,
  caller: Caller,
  services: TargetServices,
): ChatTarget {
  if (resolved) return targetsOfKind([resolved], EMBEDDINGS, { caller }, services)[0]!
  const chosen = model ?? providerNamed(requested, services.config.providers)?.defaultEmbeddingModel
  if (chosen) return targetsOfKind([`${requested}/${chosen}`], EMBEDDINGS, { caller }, services)[0]!
  const message = `Add a model: ${feature}/${subfeature}/${requested}/<model>. GET /v3/embeddings/models lists them.`
  throw problem('model_not_found', { message, param: 'model' })
}

export async function embedForTask(
  feature: Feature,
  task: Task<unknown>,
  attempt: ChatAttempt,
): Promise<Result<unknown>> {
  checkModelParams(EmbeddingsRequest, task.params, { model: '-', input: '-' })
  if (feature === searchTask) return await searchForTask(task as Task<SearchInput>, attempt)
  const { texts, dimensions } = task.input as Static<typeof embeddingsTask.input>
  const { vectors, original, units } = await vectorsOf(texts, { dimensions, ...task.params }, attempt)
  return { output: { items: vectors.map((embedding) => ({ embedding })) }, original, units }
}

type SearchInput = Static<typeof searchTask.input>

/** Where a query gets other vectors than documents, it is sent by itself. */
async function searchForTask({ input, params }: Task<SearchInput>, attempt: ChatAttempt): Promise<Result<unknown>> {
  const { texts, query, similarity_metric } = input
  const fields = retrievalFields(attempt.target)
  const answers = fields
    ? [
        await vectorsOf([query], { ...fields.query, ...params }, attempt),
        await vectorsOf(texts, { ...fields.document, ...params }, attempt),
      ]
    : [await vectorsOf([query, ...texts], params, attempt)]
  const [ofQuery = [], ...ofTexts] = answers.flatMap(({ vectors }) => vectors)
  const similarities = await inTurns(ofTexts, similarityTo(ofQuery, similarity_metric), attempt)
  const units = answers.reduce((sum, one) => sum + one.units, 0)
  return { output: ranked(similarities), original: answers.map(({ original }) => original), units }
}

/** The vectors of the texts, in their order. They are billed, even if the rest of the task fails. */
async function vectorsOf(texts: string[], fields: Task<unknown>['params'], attempt: ChatAttempt) {
  const { target } = attempt
  if (texts.length === 0) return nothingOf(attempt)
  const body = { ...fields, model: target.id, input: texts, encoding_format: 'float' as const }
  const reply = await askForVectors(body, attempt)
  const promptTokens = tokensOf(texts, reply)
  const vectors = await inTurns(inOrder(reply.data, texts.length), vectorOf, attempt)
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  return { vectors, original: { ...reply.more, model: target.id, data: reply.data, usage }, units: promptTokens }
}

function nothingOf(attempt: ChatAttempt) {
  openOrder(attempt, () => undefined).delivered({ cost: 0 })
  return { vectors: [], original: { data: [] }, units: 0 }
}

/** Maps long lists without holding up other requests. */
async function inTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
  { call, services }: ChatAttempt,
): Promise<Made[]> {
  const made: Made[] = []
  for (const item of items) if (made.push(make(item)) % VECTORS_AT_ONCE === 0) await slotForLarge(call, services)
  return made
}
