import type { Catalog, ModelType } from '../../platform/catalog/catalog.ts'
import type { KeyUse } from '../../platform/store/ledger/usage-by-key.ts'
import { findFeature } from '../../translation/tasks/index.ts'

type Feature = readonly [feature: string, subfeature: string]

const OF_ENDPOINTS: Readonly<Record<string, Feature>> = {
  chat: ['text', 'chat'],
  compact: ['text', 'chat'],
  tokens: ['text', 'token_count'],
  images: ['image', 'generation'],
}

/** As the tasks that do the same are named, so that both are one sum. */
const OF_MODELS: Readonly<Partial<Record<ModelType, Feature>>> = {
  embedding: ['text', 'embeddings'],
  moderation: ['text', 'moderation'],
  rerank: ['text', 'rerank'],
  speech: ['audio', 'tts'],
  transcription: ['audio', 'speech_to_text'],
}

/**
 * What kind of work a call was, in two words. A task names its own, and the model of a call to an endpoint such as embeddings tells it.
 * What the hosted original does not have is named by its endpoint.
 */
export function featureOf({ endpoint, model }: Pick<KeyUse, 'endpoint' | 'model'>, catalog: Catalog): Feature {
  if (Object.hasOwn(OF_ENDPOINTS, endpoint)) return OF_ENDPOINTS[endpoint]!
  const [first = '', second = ''] = model.split('/')
  if (findFeature(first, second)) return [first, second]
  const type = catalog.find(first, model.slice(first.length + 1))?.type
  return (type && OF_MODELS[type]) ?? ['gateway', endpoint]
}
