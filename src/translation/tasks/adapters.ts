import type { Adapter, Feature, SlowAdapter } from './feature.ts'
import { sandboxAdapter } from './sandbox-adapter.ts'

const SANDBOX = 'sandbox'

/**
 * The providers of each task. The adapter of each is the file `<feature>/<subfeature>/<provider>.ts`. The sandbox does all
 * tasks.
 */
const PROVIDERS_OF: Readonly<Record<string, readonly string[]>> = {
  'audio/speech_to_text_async': [
    'openai',
    'amazon',
    'assembly',
    'deepgram',
    'elevenlabs',
    'gladia',
    'google',
    'microsoft',
    'mistral',
  ],
  'audio/tts': ['openai', 'amazon', 'deepgram', 'elevenlabs', 'google', 'local', 'microsoft', 'mistral'],
  'image/ai_detection': ['resemble', 'sightengine', 'winstonai'],
  'image/anonymization': ['api4ai'],
  'image/background_removal': ['amazon', 'api4ai', 'clipdrop', 'photoroom', 'picsart', 'sentisight', 'stabilityai'],
  'image/barcode_detection': ['local'],
  'image/deepfake_detection': ['resemble', 'sightengine'],
  'image/explicit_content': [
    'openai',
    'amazon',
    'api4ai',
    'clarifai',
    'google',
    'microsoft',
    'sentisight',
    'sightengine',
  ],
  'image/face_compare': ['amazon', 'base64', 'facepp'],
  'image/face_detection': ['amazon', 'api4ai', 'clarifai', 'facepp', 'google', 'microsoft'],
  'image/face_recognition': ['amazon', 'facepp'],
  'image/generation': ['openai'],
  'image/logo_detection': ['api4ai', 'clarifai', 'google', 'microsoft'],
  'image/object_detection': ['amazon', 'api4ai', 'clarifai', 'google', 'microsoft', 'sentisight'],
  'ocr/financial_parser': [
    'affinda',
    'amazon',
    'base64',
    'eagledoc',
    'google',
    'klippa',
    'microsoft',
    'mindee',
    'tabscanner',
    'veryfi',
  ],
  'ocr/identity_parser': ['affinda', 'amazon', 'base64', 'google', 'klippa', 'microsoft', 'mindee'],
  'ocr/ocr': ['amazon', 'api4ai', 'google', 'local', 'microsoft', 'mistral', 'sentisight'],
  'ocr/ocr_async': ['amazon', 'google', 'local', 'microsoft', 'mistral'],
  'ocr/ocr_tables_async': ['amazon', 'google', 'microsoft', 'mistral'],
  'ocr/resume_parser': ['affinda', 'klippa'],
  'text/ai_detection': ['sapling', 'winstonai'],
  'text/anonymization': ['amazon', 'google', 'local', 'microsoft'],
  'text/embeddings': ['local'],
  'text/entity_sentiment': ['amazon', 'google'],
  'text/keyword_extraction': ['amazon', 'local', 'microsoft'],
  'text/moderation': ['openai', 'amazon', 'google', 'local', 'microsoft', 'mistral'],
  'text/named_entity_recognition': ['amazon', 'google', 'local', 'microsoft'],
  'text/plagia_detection': ['winstonai'],
  'text/search': ['local'],
  'text/sentiment_analysis': ['amazon', 'google', 'local', 'microsoft', 'sapling'],
  'text/spell_check': ['local', 'prowritingaid', 'sapling'],
  'text/summarize': ['local'],
  'text/syntax_analysis': ['amazon', 'google', 'local'],
  'text/topic_extraction': ['google', 'local'],
  'translation/automatic_translation': ['amazon', 'deepl', 'google', 'microsoft', 'modernmt'],
  'translation/document_translation': ['amazon', 'deepl', 'google', 'microsoft'],
  'translation/language_detection': ['amazon', 'google', 'local', 'microsoft', 'modernmt'],
  'video/deepfake_detection_async': ['resemble'],
  'video/generation_async': ['amazon', 'bytedance', 'google', 'minimax', 'pixverse', 'pruna', 'xai'],
  'web/batch_scrape_async': ['firecrawl'],
  'web/crawl_async': ['firecrawl', 'tavily'],
  'web/map': ['firecrawl', 'tavily'],
  'web/research_async': ['firecrawl', 'linkup', 'tavily'],
  'web/scraping': ['firecrawl', 'linkup', 'tavily'],
  'web/search': ['firecrawl', 'linkup', 'tavily'],
  'web/structured_extraction_async': ['firecrawl'],
}

/** Loads an adapter on first use: there are many, and loading all would delay the start. */
export type LoadAdapter = () => Promise<Adapter | SlowAdapter>

export function findAdapter(feature: Feature, provider: string): LoadAdapter | undefined {
  if (provider === SANDBOX) return async () => sandboxAdapter(feature)
  const task = taskOf(feature)
  if (!PROVIDERS_OF[task]?.includes(provider)) return undefined
  return async () => (await import(`./${task}/${provider}.ts`)).default
}

/** The providers with an adapter for the task, without the chat models that can do it. */
export function providersOf(feature: Feature): string[] {
  return [...(PROVIDERS_OF[taskOf(feature)] ?? []), SANDBOX]
}

function taskOf({ feature, subfeature }: Feature): string {
  return `${feature}/${subfeature}`
}
