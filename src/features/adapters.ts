import speechToTextOpenai from './audio/speech_to_text_async/openai.ts'
import ttsOpenai from './audio/tts/openai.ts'
import type { Adapter, Feature, SlowAdapter } from './feature.ts'
import imageGenerationOpenai from './image/generation/openai.ts'
import { sandboxAdapter } from './sandbox-adapter.ts'
import embeddingsOpenai from './text/embeddings/openai.ts'
import moderationOpenai from './text/moderation/openai.ts'

const SANDBOX = 'sandbox'

/** Every adapter, by its address. */
const ADAPTERS: ReadonlyMap<string, Adapter | SlowAdapter> = new Map<string, Adapter | SlowAdapter>([
  ['audio/speech_to_text_async/openai', speechToTextOpenai],
  ['audio/tts/openai', ttsOpenai],
  ['image/generation/openai', imageGenerationOpenai],
  ['text/embeddings/openai', embeddingsOpenai],
  ['text/moderation/openai', moderationOpenai],
])

/** One provider's way to do a task; every task can be simulated. */
export function findAdapter(feature: Feature, provider: string): Adapter | SlowAdapter | undefined {
  return provider === SANDBOX ? sandboxAdapter(feature) : ADAPTERS.get(addressOf(feature, provider))
}

/** Who has an adapter for the task. Chat models that can do it too are not among them. */
export function providersOf(feature: Feature): string[] {
  const start = addressOf(feature, '')
  const own = [...ADAPTERS.keys()].filter((address) => address.startsWith(start))
  return [...own.map((address) => address.slice(start.length)), SANDBOX]
}

function addressOf({ feature, subfeature }: Feature, provider: string): string {
  return `${feature}/${subfeature}/${provider}`
}
