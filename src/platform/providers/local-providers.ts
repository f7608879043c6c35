import type { ProviderRow } from './provider.ts'
import { onlyMaxTokens } from './row-builders.ts'

type More = Pick<ProviderRow, 'fieldRules' | 'compat' | 'choices' | 'reportsModels' | 'rerank'>

const TEMPLATE = { thinking: 'chat_template_kwargs' } as const
/** These servers separate reasoning from the answer only if they are configured to; otherwise tags mark it. */
const TAGGED = { reasoningTag: 'think' } as const
const EVERYWHERE = { regions: ['global', 'eu', 'us'] } as const
const OWN_MACHINES = { promise: 'zero_retention', source: 'runs on the machines of the operator' } as const
const INSIDE = { promise: 'zero_retention', source: 'runs inside of the gateway' } as const

/** Servers on the operator's own machines at their default ports, and the providers inside of the gateway. */
export const LOCAL_PROVIDERS: Record<string, ProviderRow> = {
  ollama: local('Ollama', 'http://127.0.0.1:11434/v1', 'OLLAMA_API_KEY', {
    fieldRules: onlyMaxTokens(),
    choices: 'one',
    reportsModels: 'ollama',
  }),
  vllm: local('vLLM', 'http://127.0.0.1:8000/v1', 'VLLM_API_KEY', { compat: TEMPLATE, rerank: 'jina' }),
  sglang: local('SGLang', 'http://127.0.0.1:30000/v1', 'SGLANG_API_KEY', { compat: TEMPLATE }),
  lmstudio: local('LM Studio', 'http://127.0.0.1:1234/v1', 'LMSTUDIO_API_KEY', {
    fieldRules: onlyMaxTokens(),
    reportsModels: 'lmstudio',
  }),
  // The default port of llama.cpp, 8080, is also that of Gatehouse: set LLAMACPP_BASE_URL if both run on one machine. The
  // gateway does not ask itself for models.
  llamacpp: local('llama.cpp', 'http://127.0.0.1:8080/v1', 'LLAMACPP_API_KEY', { rerank: 'jina' }),
  // Engines inside of the gateway do tasks. They have no address and need no account.
  local: {
    name: 'Local engines',
    rerank: 'engine',
    baseUrl: 'local://engines',
    auth: { scheme: 'none' },
    free: true,
    strict: true,
    ...EVERYWHERE,
    dataPolicy: INSIDE,
  },
  sandbox: {
    name: 'Sandbox (simulated)',
    dialect: 'openai',
    baseUrl: 'sandbox://local',
    auth: { scheme: 'none' },
    simulated: true,
    free: true,
    strict: true,
    compat: { developer: true, cacheMarks: true, details: true },
    ...EVERYWHERE,
    dataPolicy: INSIDE,
  },
}

function local(name: string, baseUrl: string, env: string, more: More = {}): ProviderRow {
  const auth = { scheme: 'bearer', env, optional: true } as const
  return {
    name,
    dialect: 'openai',
    baseUrl,
    auth,
    reportsModels: 'names',
    completions: true,
    traceContext: true,
    ...EVERYWHERE,
    dataPolicy: OWN_MACHINES,
    ...more,
    compat: { ...TAGGED, ...more.compat },
  }
}
