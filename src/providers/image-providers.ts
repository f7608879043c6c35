import type { ProviderRow } from './provider.ts'

/** Who only makes images, each by a wire of its own. */
export const IMAGE_PROVIDERS: Record<string, ProviderRow> = {
  // The plain address gives a task to whichever region is free; a region keeps it.
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
  },
  fal: {
    name: 'fal',
    aliases: ['fal-ai', 'fal_ai', 'falai'],
    images: 'fal',
    baseUrl: 'https://queue.fal.run',
    auth: { scheme: 'header', header: 'authorization', prefix: 'Key', env: 'FAL_KEY' },
  },
  ideogram: {
    name: 'Ideogram',
    images: 'ideogram',
    baseUrl: 'https://api.ideogram.ai',
    auth: { scheme: 'header', header: 'api-key', env: 'IDEOGRAM_API_KEY' },
  },
  leonardo: {
    name: 'Leonardo.Ai',
    aliases: ['leonardoai', 'leonardo-ai'],
    images: 'leonardo',
    baseUrl: 'https://cloud.leonardo.ai/api/rest/v1',
    auth: { scheme: 'bearer', env: 'LEONARDO_API_KEY' },
  },
  recraft: {
    name: 'Recraft',
    images: 'recraft',
    baseUrl: 'https://external.api.recraft.ai/v1',
    auth: { scheme: 'bearer', env: 'RECRAFT_API_KEY' },
  },
  replicate: {
    name: 'Replicate',
    images: 'replicate',
    baseUrl: 'https://api.replicate.com/v1',
    baseUrlEnv: 'REPLICATE_BASE_URL',
    auth: { scheme: 'bearer', env: 'REPLICATE_API_TOKEN' },
  },
  stability: {
    name: 'Stability AI',
    aliases: ['stabilityai', 'stability-ai'],
    images: 'stability',
    baseUrl: 'https://api.stability.ai',
    auth: { scheme: 'bearer', env: 'STABILITY_API_KEY' },
  },
}
