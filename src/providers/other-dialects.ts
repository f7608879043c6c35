import { AWS_REGION } from './clouds.ts'
import type { ProviderRow } from './provider.ts'
import { AMAZON_SERVICES, GOOGLE_SERVICES } from './task-clouds.ts'

type OtherDialect = 'anthropic' | 'gemini' | 'bedrock' | 'cohere'

const VERTEX_PATH = '/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}/publishers/google'

/** Who speaks a wire format of its own. */
export const OTHER_DIALECTS: Record<string, ProviderRow<OtherDialect>> = {
  amazon: {
    name: 'Amazon Bedrock',
    aliases: ['bedrock', 'amazon-bedrock', 'aws'],
    dialect: 'bedrock',
    images: 'bedrock',
    baseUrl: 'https://bedrock-runtime.{AWS_REGION}.amazonaws.com',
    baseUrlEnv: 'BEDROCK_BASE_URL',
    params: { AWS_REGION },
    modelNaming: 'bedrock',
    services: AMAZON_SERVICES,
    auth: { scheme: 'aws', env: 'AWS_ACCESS_KEY_ID' },
    prefill: true,
  },
  anthropic: {
    name: 'Anthropic',
    dialect: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    auth: { scheme: 'header', header: 'x-api-key', env: 'ANTHROPIC_API_KEY' },
    prefill: true,
  },
  cohere: {
    name: 'Cohere',
    dialect: 'cohere',
    baseUrl: 'https://api.cohere.com/v2',
    auth: { scheme: 'bearer', env: 'COHERE_API_KEY' },
  },
  google: {
    name: 'Google',
    aliases: ['gemini', 'google-ai-studio'],
    dialect: 'gemini',
    images: 'gemini-image',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    services: GOOGLE_SERVICES,
    modelNaming: 'google',
    auth: { scheme: 'header', header: 'x-goog-api-key', env: 'GEMINI_API_KEY' },
  },
  vertex: {
    name: 'Google Vertex AI',
    aliases: ['vertex_ai', 'google-vertex'],
    dialect: 'gemini',
    images: 'vertex',
    embeddings: 'vertex',
    baseUrl: `https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com${VERTEX_PATH}`,
    baseUrlEnv: 'VERTEX_BASE_URL',
    params: {
      GOOGLE_CLOUD_PROJECT: {},
      GOOGLE_CLOUD_LOCATION: {
        default: 'global',
        baseUrls: {
          global: `https://aiplatform.googleapis.com${VERTEX_PATH}`,
          eu: `https://aiplatform.eu.rep.googleapis.com${VERTEX_PATH}`,
          us: `https://aiplatform.us.rep.googleapis.com${VERTEX_PATH}`,
        },
        // The multi-regions only: of a single location the operator knows better than its name.
        regions: { eu: ['eu'], us: ['us'] },
      },
    },
    modelNaming: 'google',
    auth: { scheme: 'google', env: 'GOOGLE_APPLICATION_CREDENTIALS' },
  },
}
