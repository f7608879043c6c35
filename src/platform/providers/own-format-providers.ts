import { AWS_REGION } from './cloud-regions.ts'
import { AMAZON_SERVICES, GOOGLE_SERVICE_PARAMS, GOOGLE_SERVICES } from './cloud-services.ts'
import type { GovernedFields } from './governed-fields.ts'
import type { ProviderRow } from './provider.ts'

type OwnDialect = 'anthropic' | 'gemini' | 'bedrock' | 'cohere'

const VERTEX_PATH = '/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}/publishers/google'

/** Governed fields of both Google and Vertex AI. */
const GEMINI_FIELDS: GovernedFields = { cachedContent: 'state', cached_content: 'state', serviceTier: 'unpriced' }

/** Providers whose chat models have a wire format of their own. */
export const OWN_FORMAT_PROVIDERS: Record<string, ProviderRow<OwnDialect>> = {
  amazon: {
    name: 'Amazon Bedrock',
    conventionName: 'aws.bedrock',
    // Some models may be kept for up to 30 days, unless the account says `none`. Other services of Amazon promise less.
    dataPolicy: {
      promise: 'no_training',
      source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/data-protection.html',
    },
    aliases: ['bedrock', 'amazon-bedrock', 'aws'],
    dialect: 'bedrock',
    images: 'bedrock',
    baseUrl: 'https://bedrock-runtime.{AWS_REGION}.amazonaws.com',
    baseUrlEnv: 'BEDROCK_BASE_URL',
    params: { AWS_REGION },
    modelNaming: 'bedrock',
    services: AMAZON_SERVICES,
    auth: { scheme: 'aws', env: 'AWS_ACCESS_KEY_ID', identity: 'aws' },
    serviceAuth: { scheme: 'aws', env: 'AWS_ACCESS_KEY_ID', identity: 'aws' },
    prefill: true,
    defaultImageModel: 'amazon.nova-canvas-v1:0',
    defaultEmbeddingModel: 'amazon.titan-embed-text-v2:0',
    governedFields: {
      guardrailConfig: 'unpriced',
      performanceConfig: 'unpriced',
      promptVariables: 'state',
      serviceTier: 'unpriced',
    },
    indirectModels: /^arn:/,
    outputDestinations: ['jobtag'],
  },
  anthropic: {
    name: 'Anthropic',
    dataPolicy: { promise: 'no_training', source: 'https://www.anthropic.com/legal/commercial-terms' },
    dialect: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    sdkPath: '/v1',
    auth: { scheme: 'header', header: 'x-api-key', env: 'ANTHROPIC_API_KEY' },
    prefill: true,
    namesModels: true,
    ownNames: /^claude-[a-z]+-\d/,
    batches: {
      wire: 'anthropic',
      endpoints: ['/messages'],
      factor: 0.5,
      source: 'https://platform.claude.com/docs/en/build-with-claude/batch-processing',
    },
    governedFields: { inference_geo: 'unpriced' },
  },
  cohere: {
    name: 'Cohere',
    dialect: 'cohere',
    baseUrl: 'https://api.cohere.com/v2',
    auth: { scheme: 'bearer', env: 'COHERE_API_KEY' },
    defaultEmbeddingModel: 'embed-v4.0',
  },
  google: {
    name: 'Google',
    aliases: ['gemini', 'google-ai-studio'],
    conventionName: 'gcp.gemini',
    dialect: 'gemini',
    images: 'gemini-image',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    batches: {
      wire: 'gemini',
      endpoints: [':generateContent'],
      factor: 0.5,
      keepsCachePrice: true,
      source: 'https://ai.google.dev/gemini-api/docs/batch-api',
    },
    services: GOOGLE_SERVICES,
    serviceParams: GOOGLE_SERVICE_PARAMS,
    modelNaming: 'google',
    auth: { scheme: 'header', header: 'x-goog-api-key', env: 'GEMINI_API_KEY' },
    serviceAuth: { scheme: 'google', env: 'GOOGLE_APPLICATION_CREDENTIALS', identity: 'google' },
    defaultImageModel: 'gemini-2.5-flash-image',
    defaultEmbeddingModel: 'gemini-embedding-001',
    namesModels: true,
    ownNames: /^gemini-\d/,
    governedFields: GEMINI_FIELDS,
  },
  vertex: {
    name: 'Google Vertex AI',
    conventionName: 'gcp.vertex_ai',
    dataPolicy: {
      promise: 'no_training',
      source: 'https://docs.cloud.google.com/gemini-enterprise-agent-platform/resources/zero-data-retention',
    },
    aliases: ['vertex_ai', 'google-vertex'],
    dialect: 'gemini',
    images: 'vertex',
    embeddings: 'vertex',
    baseUrl: `https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com${VERTEX_PATH}`,
    baseUrlEnv: 'VERTEX_BASE_URL',
    params: {
      GOOGLE_CLOUD_PROJECT: { isProject: true },
      GOOGLE_CLOUD_LOCATION: {
        default: 'global',
        baseUrls: {
          global: `https://aiplatform.googleapis.com${VERTEX_PATH}`,
          eu: `https://aiplatform.eu.rep.googleapis.com${VERTEX_PATH}`,
          us: `https://aiplatform.us.rep.googleapis.com${VERTEX_PATH}`,
        },
        // Only the multi-regions: the name of a single location proves nothing, but the operator can state its region.
        regions: { eu: ['eu'], us: ['us'] },
      },
    },
    modelNaming: 'google',
    auth: { scheme: 'google', env: 'GOOGLE_APPLICATION_CREDENTIALS', identity: 'google' },
    defaultImageModel: 'imagen-4.0-generate-001',
    defaultEmbeddingModel: 'gemini-embedding-001',
    namesModels: true,
    governedFields: GEMINI_FIELDS,
  },
}
