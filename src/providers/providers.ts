import type { ProviderRow } from './provider.ts'

const SELF_HOSTED = { regions: ['global', 'eu', 'us'] } as const

export const PROVIDERS: Record<string, ProviderRow> = {
  openai: {
    name: 'OpenAI',
    dialect: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    auth: { scheme: 'bearer', env: 'OPENAI_API_KEY' },
    quirks: { rename: { max_tokens: 'max_completion_tokens' } },
  },
  ollama: local('Ollama', 'http://127.0.0.1:11434/v1', 'OLLAMA_API_KEY'),
  vllm: local('vLLM', 'http://127.0.0.1:8000/v1', 'VLLM_API_KEY'),
  lmstudio: local('LM Studio', 'http://127.0.0.1:1234/v1', 'LMSTUDIO_API_KEY'),
  // llama.cpp's own default port is 8080, where Gatehouse listens: the row keeps it, LLAMACPP_BASE_URL moves it.
  llamacpp: local('llama.cpp', 'http://127.0.0.1:8080/v1', 'LLAMACPP_API_KEY'),
  sandbox: {
    name: 'Sandbox (simulated)',
    dialect: 'openai',
    baseUrl: 'sandbox://local',
    auth: { scheme: 'none' },
    closed: true,
    ...SELF_HOSTED,
  },
}

function local(name: string, baseUrl: string, env: string): ProviderRow {
  return { name, dialect: 'openai', baseUrl, auth: { scheme: 'bearer', env, optional: true }, ...SELF_HOSTED }
}
