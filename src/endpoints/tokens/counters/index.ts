import type { ProviderRow } from '../../../platform/providers/provider.ts'
import { anthropic } from './anthropic.ts'
import { bedrock } from './bedrock.ts'
import type { Counter } from './counter.ts'
import { gemini } from './gemini.ts'
import { openai } from './openai.ts'

export type { CountRequest, Counter } from './counter.ts'

type CountingProvider = Pick<ProviderRow, 'dialect' | 'openaiEndpoints'>

/** How the provider counts the tokens of a model, if it can. Many speak OpenAI's chat format, but only OpenAI counts in it. */
export function counterFor(provider: CountingProvider, model: string): Counter | undefined {
  if (provider.dialect === 'anthropic') return anthropic
  if (provider.dialect === 'gemini') return gemini
  if (provider.dialect === 'bedrock') return model.includes('anthropic.claude') ? bedrock : undefined
  return provider.openaiEndpoints?.includes('token counts') ? openai : undefined
}
