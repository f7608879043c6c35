import { EU } from './row-builders.ts'
import type { ProviderRow, Region } from './provider.ts'

/**
 * Providers of tasks without chat models. If a key needs a word in front of it or has several parts, the adapters handle that:
 * the variable holds the parts, separated by colons.
 */
export const TASK_PROVIDERS: Record<string, ProviderRow> = {
  affinda: {
    ...bearer('Affinda', 'https://api.affinda.com/v3', 'AFFINDA_API_KEY'),
    taskSettings: [
      'AFFINDA_IDENTITY_COLLECTION',
      'AFFINDA_INVOICE_COLLECTION',
      'AFFINDA_RECEIPT_COLLECTION',
      'AFFINDA_RESUME_COLLECTION',
      'AFFINDA_WORKSPACE',
    ],
    outputDestinations: ['workspace', 'collection', 'folder'],
  },
  api4ai: header('api4ai', 'https://api4ai.cloud', ['x-api-key', 'API4AI_API_KEY']),
  assembly: header('AssemblyAI', 'https://api.assemblyai.com/v2', ['authorization', 'ASSEMBLY_API_KEY'], {
    aliases: ['assemblyai'],
  }),
  // email:key
  base64: bearer('Base64.ai', 'https://base64.ai/api', 'BASE64_API_KEY'),
  clipdrop: header('Clipdrop', 'https://clipdrop-api.co', ['x-api-key', 'CLIPDROP_API_KEY']),
  deepgram: bearer('Deepgram', 'https://api.deepgram.com/v1', 'DEEPGRAM_API_KEY'),
  // Keys that end in `:fx` belong to https://api-free.deepl.com/v2: set DEEPL_BASE_URL for them.
  deepl: bearer('DeepL', 'https://api.deepl.com/v2', 'DEEPL_API_KEY', EU),
  eagledoc: header('Eagle Doc', 'https://de.eagle-doc.com/api', ['api-key', 'EAGLEDOC_API_KEY'], { regions: EU }),
  elevenlabs: header('ElevenLabs', 'https://api.elevenlabs.io/v1', ['xi-api-key', 'ELEVENLABS_API_KEY']),
  // api_key:api_secret
  facepp: bearer('Face++', 'https://api-us.faceplusplus.com/facepp/v3', 'FACEPP_API_KEY'),
  firecrawl: bearer('Firecrawl', 'https://api.firecrawl.dev/v2', 'FIRECRAWL_API_KEY'),
  gladia: header('Gladia', 'https://api.gladia.io/v2', ['x-gladia-key', 'GLADIA_API_KEY'], { regions: EU }),
  klippa: header('Klippa', 'https://custom-ocr.klippa.com/api/v1', ['x-auth-key', 'KLIPPA_API_KEY']),
  linkup: bearer('Linkup', 'https://api.linkup.so/v1', 'LINKUP_API_KEY'),
  mindee: {
    ...header('Mindee', 'https://api-v2.mindee.net/v2', ['authorization', 'MINDEE_API_KEY']),
    taskSettings: ['MINDEE_FINANCIAL_MODEL', 'MINDEE_IDENTITY_MODEL'],
  },
  // One key for all of Azure's own services; their chat models are in the row `azure`.
  microsoft: {
    name: 'Microsoft Azure AI services',
    chatOf: 'azure',
    baseUrl: 'https://{MICROSOFT_RESOURCE_NAME}.cognitiveservices.azure.com',
    params: { MICROSOFT_RESOURCE_NAME: {} },
    services: { tts: 'https://{MICROSOFT_REGION}.tts.speech.microsoft.com' },
    auth: { scheme: 'header', header: 'ocp-apim-subscription-key', env: 'MICROSOFT_API_KEY' },
  },
  modernmt: header('ModernMT', 'https://api.modernmt.com', ['mmt-apikey', 'MODERNMT_API_KEY']),
  photoroom: header('PhotoRoom', 'https://sdk.photoroom.com', ['x-api-key', 'PHOTOROOM_API_KEY']),
  picsart: header('Picsart', 'https://api.picsart.io', ['x-picsart-api-key', 'PICSART_API_KEY']),
  pixverse: header('PixVerse', 'https://app-api.pixverse.ai', ['api-key', 'PIXVERSE_API_KEY']),
  prowritingaid: header('ProWritingAid', 'https://cloud.prowritingaid.com/analysis/api/async', [
    'licensecode',
    'PROWRITINGAID_API_KEY',
  ]),
  pruna: header('Pruna', 'https://api.pruna.ai/v1', ['apikey', 'PRUNA_API_KEY']),
  resemble: bearer('Resemble AI', 'https://app.resemble.ai/api/v2', 'RESEMBLE_API_KEY'),
  sapling: bearer('Sapling', 'https://api.sapling.ai/api/v1', 'SAPLING_API_KEY'),
  sentisight: header('SentiSight.ai', 'https://platform.sentisight.ai/api', ['x-auth-token', 'SENTISIGHT_API_KEY']),
  // api_user:api_secret
  sightengine: bearer('Sightengine', 'https://api.sightengine.com/1.0', 'SIGHTENGINE_API_KEY'),
  tabscanner: header('Tabscanner', 'https://api.tabscanner.com', ['apikey', 'TABSCANNER_API_KEY']),
  tavily: bearer('Tavily', 'https://api.tavily.com', 'TAVILY_API_KEY'),
  // client-id:username:key
  veryfi: {
    ...bearer('Veryfi', 'https://api.veryfi.com/api/v8/partner', 'VERYFI_API_KEY'),
    outputDestinations: ['emailto'],
  },
  winstonai: bearer('Winston AI', 'https://api.gowinston.ai/v2', 'WINSTONAI_API_KEY'),
}

function bearer(name: string, baseUrl: string, env: string, regions?: readonly Region[]): ProviderRow {
  return { name, baseUrl, auth: { scheme: 'bearer', env }, ...(regions && { regions }) }
}

function header(
  name: string,
  baseUrl: string,
  [headerName, env]: [header: string, variable: string],
  more: Pick<ProviderRow, 'aliases' | 'regions'> = {},
): ProviderRow {
  return { name, baseUrl, auth: { scheme: 'header', header: headerName, env }, ...more }
}
