import type { Feature } from '../../translation/tasks/feature.ts'
import imageGeneration from '../../translation/tasks/image/generation/feature.ts'
import textEmbeddings from '../../translation/tasks/text/embeddings/feature.ts'
import textSearch from '../../translation/tasks/text/search/feature.ts'
import { PROVIDERS } from '../../platform/providers/providers.ts'

/** Tasks that embedding models do, through the same code as the endpoint for embeddings. */
const EMBEDDING_TASKS: readonly Feature[] = [textEmbeddings, textSearch]

export function isEmbeddingTask(feature: Feature): boolean {
  return EMBEDDING_TASKS.includes(feature)
}

/** The field of a provider's row that names the model of the task if a request names none. */
export function defaultModelField(feature: Feature): 'defaultImageModel' | 'defaultEmbeddingModel' | undefined {
  if (feature === imageGeneration) return 'defaultImageModel'
  return isEmbeddingTask(feature) ? 'defaultEmbeddingModel' : undefined
}

/** Providers that do the task with a model even if the request names none → the model that they use then; for lists. */
export function defaultModels(feature: Feature): ReadonlyMap<string, string> {
  const field = defaultModelField(feature)
  const models = Object.entries(PROVIDERS).flatMap(([id, { taskAlias = id, ...row }]) => {
    const model = field && row[field]
    return model ? [[taskAlias, model] as const] : []
  })
  return new Map(models.sort(([a], [b]) => (a < b ? -1 : 1)))
}
