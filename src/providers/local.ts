import { oldLimit } from './hosted.ts'
import type { ProviderRow } from './provider.ts'

type More = Pick<ProviderRow, 'fieldRules' | 'compat' | 'choices'>

const TEMPLATE = { thinking: 'chat_template_kwargs' } as const
/** Whether thoughts are told apart is a setting of these servers; where it is not set, tags are all there is. */
const ALOUD = { reasoningTag: 'think' } as const
const EVERYWHERE = { regions: ['global', 'eu', 'us'] } as const

/** What runs on the operator's own machines, at its usual port. */
export const LOCAL: Record<string, ProviderRow> = {
  ollama: local('Ollama', 'http://127.0.0.1:11434/v1', 'OLLAMA_API_KEY', { fieldRules: oldLimit(), choices: 'one' }),
  vllm: local('vLLM', 'http://127.0.0.1:8000/v1', 'VLLM_API_KEY', { compat: TEMPLATE }),
  sglang: local('SGLang', 'http://127.0.0.1:30000/v1', 'SGLANG_API_KEY', { compat: TEMPLATE }),
  lmstudio: local('LM Studio', 'http://127.0.0.1:1234/v1', 'LMSTUDIO_API_KEY', { fieldRules: oldLimit() }),
  // llama.cpp's own default port is 8080, where Gatehouse listens: the row keeps it, LLAMACPP_BASE_URL moves it.
  llamacpp: local('llama.cpp', 'http://127.0.0.1:8080/v1', 'LLAMACPP_API_KEY'),
  // Engines inside the gateway: they do tasks, have no address and need no account.
  local: { name: 'Local engines', baseUrl: 'local://engines', auth: { scheme: 'none' }, closed: true, ...EVERYWHERE },
  sandbox: {
    name: 'Sandbox (simulated)',
    dialect: 'openai',
    baseUrl: 'sandbox://local',
    auth: { scheme: 'none' },
    closed: true,
    compat: { developer: true, cacheMarks: true, details: true },
    ...EVERYWHERE,
  },
}

function local(name: string, baseUrl: string, env: string, more: More = {}): ProviderRow {
  const auth = { scheme: 'bearer', env, optional: true } as const
  return { name, dialect: 'openai', baseUrl, auth, ...EVERYWHERE, ...more, compat: { ...ALOUD, ...more.compat } }
}
