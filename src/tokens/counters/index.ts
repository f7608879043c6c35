import { anthropic } from './anthropic.ts'
import { bedrock } from './bedrock.ts'
import type { Counter } from './counter.ts'
import { gemini } from './gemini.ts'
import { openai } from './openai.ts'

export type { CountRequest, Counter } from './counter.ts'

/** Who counts for a model, if its provider does. Many speak OpenAI's chat format; its counter only OpenAI has. */
export function counterFor(provider: { id: string; dialect?: string | undefined }, model: string): Counter | undefined {
  if (provider.dialect === 'anthropic') return anthropic
  if (provider.dialect === 'gemini') return gemini
  if (provider.dialect === 'bedrock') return model.includes('anthropic.claude') ? bedrock : undefined
  return provider.id === 'openai' ? openai : undefined
}
