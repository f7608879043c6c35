import type { ProviderRow } from './provider.ts'

/** Providers that only make images, each with a wire format of its own. */
export const IMAGE_PROVIDERS: Record<string, ProviderRow> = {
  // The plain address assigns an image to any region that is free; the address of a region keeps it there.
  bfl: {
    name: 'Black Forest Labs',
    aliases: ['black-forest-labs', 'black_forest_labs', 'blackforestlabs'],
    images: 'bfl',
    baseUrl: 'https://api.{BFL_REGION}.bfl.ai/v1',
    params: {
      BFL_REGION: {
        default: 'global',
        baseUrls: { global: 'https://api.bfl.ai/v1' },
        regions: { eu: ['eu'], us: ['us'] },
      },
    },
    auth: { scheme: 'header', header: 'x-key', env: 'BFL_API_KEY' },
    defaultImageModel: 'flux-2-pro',
  },
  fal: {
    name: 'fal',
    aliases: ['fal-ai', 'fal_ai', 'falai'],
    images: 'fal',
    baseUrl: 'https://queue.fal.run',
    auth: { scheme: 'header', header: 'authorization', prefix: 'Key', env: 'FAL_KEY' },
    defaultImageModel: 'fal-ai/flux/dev',
  },
  ideogram: {
    name: 'Ideogram',
    images: 'ideogram',
    baseUrl: 'https://api.ideogram.ai',
    auth: { scheme: 'header', header: 'api-key', env: 'IDEOGRAM_API_KEY' },
    defaultImageModel: 'ideogram-v3',
  },
  leonardo: {
    name: 'Leonardo.Ai',
    aliases: ['leonardoai', 'leonardo-ai'],
    images: 'leonardo',
    baseUrl: 'https://cloud.leonardo.ai/api/rest/v1',
    auth: { scheme: 'bearer', env: 'LEONARDO_API_KEY' },
    governedFields: { elements: 'model', sd_version: 'model', userElements: 'model' },
  },
  recraft: {
    name: 'Recraft',
    images: 'recraft',
    baseUrl: 'https://external.api.recraft.ai/v1',
    auth: { scheme: 'bearer', env: 'RECRAFT_API_KEY' },
    defaultImageModel: 'recraftv3',
  },
  replicate: {
    name: 'Replicate',
    images: 'replicate',
    baseUrl: 'https://api.replicate.com/v1',
    baseUrlEnv: 'REPLICATE_BASE_URL',
    auth: { scheme: 'bearer', env: 'REPLICATE_API_TOKEN' },
    defaultImageModel: 'black-forest-labs/flux-schnell',
  },
  stability: {
    name: 'Stability AI',
    aliases: ['stabilityai', 'stability-ai'],
    images: 'stability',
    baseUrl: 'https://api.stability.ai',
    auth: { scheme: 'bearer', env: 'STABILITY_API_KEY' },
    defaultImageModel: 'sd3.5-large',
  },
}

/** Providers that make embeddings and rankings, in a format that is close to OpenAI's. */
export const EMBEDDING_PROVIDERS: Record<string, ProviderRow> = {
  jina: {
    name: 'Jina AI',
    aliases: ['jina_ai', 'jinaai'],
    embeddings: 'jina',
    rerank: 'jina',
    baseUrl: 'https://api.jina.ai/v1',
    auth: { scheme: 'bearer', env: 'JINA_API_KEY' },
    defaultEmbeddingModel: 'jina-embeddings-v3',
  },
  voyage: {
    name: 'Voyage AI',
    aliases: ['voyageai'],
    embeddings: 'voyage',
    rerank: 'voyage',
    baseUrl: 'https://api.voyageai.com/v1',
    auth: { scheme: 'bearer', env: 'VOYAGE_API_KEY' },
    defaultEmbeddingModel: 'voyage-3.5',
  },
}
