import type { ImportContext } from './import-context.ts'

/** Where LiteLLM sends a bare name: to the maker of the model. Google's models go to Vertex AI there. */
const MAKERS = ['openai', 'anthropic', 'vertex', 'mistral', 'cohere', 'ai21', 'deepseek', 'xai', 'perplexity']
const FAMILIES: readonly [RegExp, string][] = [
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex'],
  [/^command-/, 'cohere'],
]

/** The provider of a model without one. LiteLLM takes an unknown name for a model of OpenAI if it has an address. */
export function makerOf(name: string, { catalog }: ImportContext): string {
  const maker = MAKERS.find((id) => catalog.find(id, name))
  return maker ?? FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? 'openai'
}
