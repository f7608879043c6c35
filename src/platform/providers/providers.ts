import { CLOUD_PROVIDERS } from './cloud-providers.ts'
import { HOSTS } from './hosts.ts'
import { EMBEDDING_PROVIDERS, IMAGE_PROVIDERS } from './image-and-embedding-providers.ts'
import { LOCAL_PROVIDERS } from './local-providers.ts'
import { MODEL_MAKERS } from './model-makers.ts'
import { OWN_FORMAT_PROVIDERS } from './own-format-providers.ts'
import type { ProviderRow } from './provider.ts'
import { TASK_PROVIDERS } from './task-providers.ts'

/**
 * Every provider by its id, the name in front of its models. Everything that is known about a provider is in its one row:
 * search this folder for the id. The files are grouped by what a provider does:
 *
 * - model-makers.ts: makers of models with an OpenAI-compatible address (openai, mistral, xai …)
 * - hosts.ts: servers of others' models, and routers (groq, together, openrouter …)
 * - cloud-providers.ts: clouds with an address per customer (azure, databricks, watsonx …)
 * - local-providers.ts: servers on the operator's machines (ollama, vllm …), the local engines and the sandbox
 * - own-format-providers.ts: amazon, anthropic, cohere, google, vertex
 * - image-and-embedding-providers.ts: providers with image models or embedding models only
 * - task-providers.ts: providers of tasks only, and microsoft
 */
export const PROVIDERS: Record<string, ProviderRow> = {
  ...MODEL_MAKERS,
  ...HOSTS,
  ...CLOUD_PROVIDERS,
  ...LOCAL_PROVIDERS,
  ...OWN_FORMAT_PROVIDERS,
  ...IMAGE_PROVIDERS,
  ...EMBEDDING_PROVIDERS,
  ...TASK_PROVIDERS,
}

/** The providers that most people look for, in this order. Lists for people begin with them. */
export const POPULAR_PROVIDERS: readonly string[] = [
  ...['openai', 'anthropic', 'google', 'azure', 'amazon', 'vertex', 'mistral', 'groq', 'openrouter', 'ollama'],
  ...['deepseek', 'xai', 'cohere', 'together', 'fireworks', 'perplexity', 'vllm', 'lmstudio'],
]

/** Other names of providers → their ids. */
export const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries(PROVIDERS).flatMap(([id, { aliases = [] }]) => aliases.map((alias) => [alias, id] as const)),
)

/** Rows of own-format-providers.ts that serve the models of others, too. */
const CLOUDS_WITH_OWN_FORMAT = ['amazon', 'vertex']
const HOST_IDS = new Set([
  ...[HOSTS, CLOUD_PROVIDERS, LOCAL_PROVIDERS].flatMap((rows) => Object.keys(rows)),
  ...CLOUDS_WITH_OWN_FORMAT,
])

/** Whether the models of this provider are its own. A provider of the config file may serve any models. */
export function isMaker(id: string): boolean {
  return Object.hasOwn(PROVIDERS, id) && !HOST_IDS.has(id)
}
