import type { ProviderRow } from './provider.ts'
import { EU, hosted, onlyMaxCompletionTokens, onlyMaxTokens, US } from './row-builders.ts'

/** Companies that serve models of others in the OpenAI format, and routers in front of several of them. */
export const HOSTS: Record<string, ProviderRow> = {
  baseten: hosted('Baseten', 'https://inference.baseten.co/v1', 'BASETEN_API_KEY', {
    regions: US,
    fieldRules: onlyMaxTokens('store'),
  }),
  berget: hosted('Berget AI', 'https://api.berget.ai/v1', 'BERGET_API_KEY', { regions: EU }),
  cerebras: hosted('Cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', {
    sdkPath: '/v1',
    fieldRules: onlyMaxCompletionTokens('store', 'presence_penalty', 'frequency_penalty', 'logit_bias'),
    compat: { reasoning: 'as reasoning' },
    choices: 'one',
  }),
  chutes: hosted('Chutes', 'https://llm.chutes.ai/v1', 'CHUTES_API_KEY', { fieldRules: onlyMaxTokens() }),
  clarifai: hosted('Clarifai', 'https://api.clarifai.com/v2/ext/openai/v1', 'CLARIFAI_PAT', {
    baseUrlEnv: 'CLARIFAI_BASE_URL',
    services: { vision: 'https://api.clarifai.com/v2' },
    regions: US,
    passesOn: true,
    fieldRules: onlyMaxCompletionTokens(),
    governedFields: { nodepool_id: 'host', runner_selector: 'host' },
  }),
  cortecs: hosted('Cortecs', 'https://api.cortecs.ai/v1', 'CORTECS_API_KEY', {
    regions: EU,
    passesOn: true,
    governedFields: { allowed_providers: 'host', preference: 'host' },
  }),
  deepinfra: hosted('DeepInfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY', {
    images: 'deepinfra',
    regions: US,
    passesOn: true,
    batches: {
      wire: 'openai',
      endpoints: ['/chat/completions', '/embeddings'],
      prefix: '/v1',
      factor: 0.8,
      source: 'https://deepinfra.com/blog/batch-api',
    },
    fieldRules: onlyMaxTokens(),
  }),
  digitalocean: hosted('DigitalOcean', 'https://inference.do-ai.run/v1', 'DIGITALOCEAN_ACCESS_TOKEN', {
    baseUrlEnv: 'DIGITALOCEAN_BASE_URL',
    regions: US,
    passesOn: true,
    fieldRules: onlyMaxCompletionTokens(),
  }),
  evroc: hosted('evroc', 'https://models.think.evroc.com/v1', 'EVROC_API_KEY', { regions: EU }),
  featherless: hosted('Featherless', 'https://api.featherless.ai/v1', 'FEATHERLESS_API_KEY', {
    aliases: ['featherless_ai'],
    regions: US,
    fieldRules: onlyMaxTokens(),
    compat: { reasoningTag: 'think' },
  }),
  fireworks: hosted('Fireworks AI', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', {
    sdkPath: '/inference/v1',
    images: 'fireworks',
    aliases: ['fireworks_ai', 'fireworks-ai'],
    fieldRules: { drop: ['store'] },
    compat: { thinking: 'thinking_budget' },
    indirectModels: /#/,
  }),
  friendli: hosted('Friendli', 'https://api.friendli.ai/serverless/v1', 'FRIENDLI_TOKEN', {
    aliases: ['friendliai'],
    compat: { thinking: 'chat_template_kwargs' },
  }),
  github: hosted('GitHub Models', 'https://models.github.ai/inference', 'GITHUB_TOKEN', {
    aliases: ['github-models', 'github_models'],
    regions: US,
    passesOn: true,
    compat: { developer: true, reasoning: 'refused' },
  }),
  groq: hosted('Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY', {
    sdkPath: '/openai/v1',
    fieldRules: { drop: ['logprobs', 'top_logprobs', 'logit_bias'] },
    compat: { nameless: true, reasoning: 'as reasoning' },
    choices: 'one',
    batches: {
      wire: 'openai',
      endpoints: ['/chat/completions'],
      prefix: '/v1',
      factor: 0.5,
      source: 'https://console.groq.com/docs/batch',
    },
    governedFields: { compound_custom: 'model' },
  }),
  huggingface: hosted('Hugging Face', 'https://router.huggingface.co/v1', 'HF_TOKEN', { aliases: ['hf'] }),
  hyperbolic: hosted('Hyperbolic', 'https://api.hyperbolic.xyz/v1', 'HYPERBOLIC_API_KEY', {
    regions: US,
    fieldRules: onlyMaxTokens(),
    compat: { reasoningTag: 'think' },
  }),
  inference: hosted('inference.net', 'https://api.inference.net/v1', 'INFERENCE_API_KEY', {
    aliases: ['inference-net'],
    regions: US,
    fieldRules: onlyMaxTokens(),
  }),
  iointelligence: hosted('io.net', 'https://api.intelligence.io.solutions/api/v1', 'IOINTELLIGENCE_API_KEY', {
    aliases: ['io-net'],
    fieldRules: onlyMaxCompletionTokens(),
  }),
  ionos: hosted('IONOS', 'https://openai.inference.de-txl.ionos.com/v1', 'IONOS_API_KEY', {
    regions: EU,
    fieldRules: onlyMaxTokens(),
  }),
  modelscope: hosted('ModelScope', 'https://api-inference.modelscope.cn/v1', 'MODELSCOPE_API_KEY', {
    fieldRules: onlyMaxTokens(),
  }),
  // Lambda announced the end of this service in 2025; existing keys may still work.
  lambda: hosted('Lambda', 'https://api.lambda.ai/v1', 'LAMBDA_API_KEY', { aliases: ['lambda_ai'], regions: US }),
  // One address for Finland, France and the United States, so no region can be promised.
  nebius: hosted('Nebius', 'https://api.tokenfactory.nebius.com/v1', 'NEBIUS_API_KEY'),
  novita: hosted('Novita', 'https://api.novita.ai/openai', 'NOVITA_API_KEY', {
    aliases: ['novita-ai'],
    fieldRules: onlyMaxTokens(),
  }),
  nscale: hosted('Nscale', 'https://inference.api.nscale.com/v1', 'NSCALE_API_KEY', {
    regions: EU,
    fieldRules: onlyMaxTokens(),
  }),
  nvidia: hosted('NVIDIA', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY', {
    aliases: ['nvidia_nim', 'nim'],
    regions: US,
    passesOn: true,
    fieldRules: onlyMaxTokens('store'),
    compat: { thinking: 'chat_template_kwargs' },
  }),
  openrouter: hosted('OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', {
    compat: { developer: true, cacheMarks: true, details: true, thinking: 'reasoning' },
    governedFields: {
      provider: { why: 'host', keep: ['data_collection', 'zdr', 'require_parameters', 'enforce_distillable_text'] },
    },
    indirectModels: /@preset\/|^openrouter\//,
  }),
  ovhcloud: hosted('OVHcloud', 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1', 'OVHCLOUD_API_KEY', {
    aliases: ['ovh'],
    regions: EU,
  }),
  parasail: hosted('Parasail', 'https://api.parasail.io/v1', 'PARASAIL_API_KEY'),
  regolo: hosted('Regolo', 'https://api.regolo.ai/v1', 'REGOLO_API_KEY', { regions: EU }),
  scaleway: hosted('Scaleway', 'https://api.scaleway.ai/v1', 'SCALEWAY_API_KEY', {
    regions: EU,
    choices: 'one',
  }),
  siliconflow: hosted('SiliconFlow', 'https://api.siliconflow.com/v1', 'SILICONFLOW_API_KEY', {
    fieldRules: onlyMaxTokens(),
    compat: { thinking: 'enable_thinking' },
  }),
  stackit: hosted('STACKIT', 'https://api.openai-compat.model-serving.eu01.onstackit.cloud/v1', 'STACKIT_API_KEY', {
    regions: EU,
  }),
  tinfoil: hosted('Tinfoil', 'https://inference.tinfoil.sh/v1', 'TINFOIL_API_KEY', { regions: US }),
  together: hosted('Together AI', 'https://api.together.ai/v1', 'TOGETHER_API_KEY', {
    images: 'together',
    dataPolicy: { promise: 'no_training', source: 'https://docs.together.ai/docs/zero-data-retention' },
    aliases: ['together_ai', 'togetherai'],
    regions: US,
    passesOn: true,
    fieldRules: onlyMaxTokens('store'),
    compat: { thinking: 'reasoning_enabled' },
    governedFields: { safety_model: 'model' },
  }),
  venice: hosted('Venice', 'https://api.venice.ai/api/v1', 'VENICE_API_KEY', {
    governedFields: {
      venice_parameters: {
        why: 'model',
        keep: ['include_venice_system_prompt', 'strip_thinking_response', 'disable_thinking'],
      },
    },
  }),
  vercel: hosted('Vercel AI Gateway', 'https://ai-gateway.vercel.sh/v1', 'AI_GATEWAY_API_KEY', {
    aliases: ['vercel_ai_gateway'],
    compat: { developer: true, cacheMarks: true, details: true },
    governedFields: {
      providerOptions: { why: 'host', keep: ['gateway.zeroDataRetention', 'gateway.disallowPromptTraining'] },
    },
  }),
  vultr: hosted('Vultr', 'https://api.vultrinference.com/v1', 'VULTR_API_KEY', { fieldRules: onlyMaxTokens() }),
  wandb: hosted('Weights & Biases', 'https://api.inference.wandb.ai/v1', 'WANDB_API_KEY', { regions: US }),
}
