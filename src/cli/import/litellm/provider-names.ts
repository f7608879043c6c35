import { PROVIDER_ALIASES, PROVIDERS } from '../../../platform/providers/providers.ts'
import { ownOf } from '../../../base/schema/record.ts'

// LiteLLM's names of providers. Most are ours, or other names that we know too.

/** LiteLLM's names that are neither ids nor aliases here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ai21_chat: 'ai21',
  anthropic_text: 'anthropic',
  bedrock_converse: 'amazon',
  cohere_chat: 'cohere',
  hosted_vllm: 'vllm',
  llamafile: 'llamacpp',
  lm_studio: 'lmstudio',
  ollama_chat: 'ollama',
  'text-completion-openai': 'openai',
  vertex_ai_beta: 'vertex',
  watsonx_text: 'watsonx',
  xiaomi_mimo: 'xiaomi',
}

/** Names for any server with OpenAI's format. The address says which one. */
const COMPATIBLE = new Set([
  ...['custom_openai', 'openai_like', 'litellm_proxy', 'xinference', 'infinity', 'docker_model_runner', 'custom'],
  ...['azure_ai', 'bedrock_mantle', 'codestral'],
])

/** LiteLLM chats with the models of these providers, and Gatehouse only makes images with them. */
export const CHATS_ELSEWHERE: ReadonlySet<string> = new Set(['replicate'])

/** The variable that LiteLLM reads if a deployment has no key, where it is not ours. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  clarifai: 'CLARIFAI_API_KEY',
  databricks: 'DATABRICKS_API_KEY',
  digitalocean: 'GRADIENT_AI_API_KEY',
  featherless: 'FEATHERLESS_AI_API_KEY',
  fireworks: 'FIREWORKS_AI_API_KEY',
  github: 'GITHUB_API_KEY',
  huggingface: 'HUGGINGFACE_API_KEY',
  jina: 'JINA_AI_API_KEY',
  lmstudio: 'LM_STUDIO_API_KEY',
  meta: 'LLAMA_API_KEY',
  nvidia: 'NVIDIA_NIM_API_KEY',
  perplexity: 'PERPLEXITYAI_API_KEY',
  replicate: 'REPLICATE_API_KEY',
  snowflake: 'SNOWFLAKE_JWT',
  together: 'TOGETHERAI_API_KEY',
  vercel: 'VERCEL_AI_GATEWAY_API_KEY',
  vllm: 'HOSTED_VLLM_API_KEY',
  volcengine: 'VOLCENGINE_API_KEY',
  watsonx: 'WATSONX_APIKEY',
  xiaomi: 'XIAOMI_MIMO_API_KEY',
}

/** `compatible`: a server with OpenAI's format, at an address of its own. Undefined if no dialect here speaks its format. */
export function providerOf(name: string): string | 'compatible' | undefined {
  if (COMPATIBLE.has(name)) return 'compatible'
  const id = Object.hasOwn(PROVIDERS, name) ? name : (PROVIDER_ALIASES.get(name) ?? ownOf(OTHER_NAMES, name))
  return id !== undefined && isCallable(id) ? id : undefined
}

/** It has models; a provider of tasks only has none that an alias could stand for. */
function isCallable(id: string): boolean {
  const { dialect, embeddings, images, speech, rerank } = PROVIDERS[id]!
  return Boolean(dialect ?? embeddings ?? images ?? speech ?? rerank)
}
