import type { ProviderRow } from './provider.ts'

/** Who only turns texts into vectors, nearly as OpenAI does. */
export const EMBEDDING_PROVIDERS: Record<string, ProviderRow> = {
  jina: {
    name: 'Jina AI',
    aliases: ['jina_ai', 'jinaai'],
    embeddings: 'jina',
    baseUrl: 'https://api.jina.ai/v1',
    auth: { scheme: 'bearer', env: 'JINA_API_KEY' },
  },
  voyage: {
    name: 'Voyage AI',
    aliases: ['voyageai'],
    embeddings: 'voyage',
    baseUrl: 'https://api.voyageai.com/v1',
    auth: { scheme: 'bearer', env: 'VOYAGE_API_KEY' },
  },
}
