import type { ProviderRow } from './provider.ts'
import { EU, exchanging, hosted, onlyMaxCompletionTokens, onlyMaxTokens, US } from './row-builders.ts'

const PENALTIES = ['presence_penalty', 'frequency_penalty'] as const

/** Companies that make models and serve them in the OpenAI format. */
export const MODEL_MAKERS: Record<string, ProviderRow> = {
  ai21: hosted('AI21', 'https://api.ai21.com/studio/v1', 'AI21_API_KEY', { fieldRules: onlyMaxTokens() }),
  dashscope: hosted('Alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY', {
    aliases: ['alibaba', 'qwen'],
    fieldRules: onlyMaxTokens('frequency_penalty'),
    compat: { thinking: 'enable_thinking', cacheMarks: true },
    // Models that it does not take in batches fail as a whole batch, which the gateway asks then.
    batches: {
      wire: 'openai',
      endpoints: ['/chat/completions', '/embeddings'],
      prefix: '/v1',
      factor: 0.5,
      source: 'https://help.aliyun.com/en/model-studio/batch-interfaces-compatible-with-openai',
    },
    governedFields: { enable_search: 'unpriced', search_options: 'unpriced' },
  }),
  // Only the /beta address continues an assistant message: set DEEPSEEK_BASE_URL to use it.
  deepseek: hosted('DeepSeek', 'https://api.deepseek.com', 'DEEPSEEK_API_KEY', {
    fieldRules: onlyMaxTokens('seed', 'store'),
    compat: { thinking: 'thinking', reasoning: 'demanded' },
    choices: 'one',
  }),
  // Node does not trust the authority that signs GigaChat's certificates: NODE_EXTRA_CA_CERTS names the file with its root.
  // GigaChat accepts functions only in OpenAI's old format and with its own field names, so tools are dropped.
  gigachat: exchanging(
    {
      kind: 'gigachat',
      url: 'https://ngw.devices.sberbank.ru:9443/api/v2/oauth',
      urlEnv: 'GIGACHAT_TOKEN_URL',
      scope: 'GIGACHAT_API_PERS',
      scopeEnv: 'GIGACHAT_SCOPE',
    },
    hosted('GigaChat', 'https://gigachat.devices.sberbank.ru/api/v1', 'GIGACHAT_CREDENTIALS', {
      aliases: ['sber'],
      baseUrlEnv: 'GIGACHAT_BASE_URL',
      fieldRules: onlyMaxTokens('stream_options', 'tools', 'tool_choice', 'parallel_tool_calls', 'store'),
      compat: { reasoning: 'refused' },
      choices: 'one',
    }),
  ),
  inception: hosted('Inception', 'https://api.inceptionlabs.ai/v1', 'INCEPTION_API_KEY', {
    aliases: ['inceptionlabs'],
    regions: US,
    fieldRules: onlyMaxTokens(),
  }),
  meta: hosted('Meta', 'https://api.meta.ai/v1', 'META_API_KEY', {
    aliases: ['meta_llama'],
    regions: US,
    fieldRules: onlyMaxCompletionTokens(),
  }),
  // Without this default, MiniMax models write their reasoning into the answer.
  minimax: hosted('MiniMax', 'https://api.minimax.io/v1', 'MINIMAX_API_KEY', {
    images: 'minimax',
    speech: 'minimax',
    fieldRules: { ...onlyMaxCompletionTokens(), defaults: { reasoning_split: true } },
    compat: { cacheMarks: true, details: true },
    choices: 'one',
    defaultImageModel: 'image-01',
  }),
  // Prefill: `prefix: true` on the last message.
  mistral: hosted('Mistral AI', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY', {
    batches: {
      wire: 'mistral',
      endpoints: ['/chat/completions', '/embeddings'],
      prefix: '/v1',
      factor: 0.5,
      source: 'https://docs.mistral.ai/capabilities/batch',
    },
    aliases: ['mistralai'],
    conventionName: 'mistral_ai',
    // Programs name its reader without a provider, and no list of chat models has it.
    ownNames: /^mistral-ocr-/,
    ocr: 'mistral',
    embeddings: 'mistral',
    defaultEmbeddingModel: 'mistral-embed',
    regions: EU,
    prefill: true,
    fieldRules: {
      rename: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
      drop: [
        ...['logprobs', 'top_logprobs', 'logit_bias', 'user', 'verbosity'],
        ...['stream_options', 'modalities', 'audio', 'web_search_options'],
      ],
    },
    compat: { mistral: true, nameless: true },
    governedFields: { agent_id: 'model' },
  }),
  // Prefill: `partial: true` on the last message.
  moonshot: hosted('Moonshot AI', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', {
    aliases: ['moonshotai', 'kimi'],
    conventionName: 'moonshot_ai',
    prefill: true,
    fieldRules: onlyMaxTokens('store'),
    compat: { thinking: 'thinking', reasoning: 'demanded' },
  }),
  morph: hosted('Morph', 'https://api.morphllm.com/v1', 'MORPH_API_KEY', { regions: US, fieldRules: onlyMaxTokens() }),
  openai: hosted('OpenAI', 'https://api.openai.com/v1', 'OPENAI_API_KEY', {
    dataPolicy: { promise: 'no_training', source: 'https://developers.openai.com/api/docs/guides/your-data' },
    fieldRules: onlyMaxCompletionTokens(),
    compat: { developer: true, ownAnswers: true, reasoning: 'refused' },
    cacheKeys: true,
    responsesHosts: ['api.openai.com'],
    searchModels: /-search-(preview|api)/,
    ownNames: /^(?:gpt-\d+(?:\.\d+)?|o\d+)(?:-(?:mini|nano|pro|codex|max|chat|latest))*(?:-\d{4}-\d\d-\d\d)?$/,
    batches: {
      wire: 'openai',
      endpoints: ['/chat/completions', '/responses', '/embeddings', '/completions'],
      prefix: '/v1',
      factor: 0.5,
      source: 'https://developers.openai.com/api/docs/guides/batch',
    },
    openaiEndpoints: ['responses', 'token counts', 'transcriptions', 'speech events'],
    defaultEmbeddingModel: 'text-embedding-3-small',
    endedTasks: { 'video/generation_async': '2026-09-24' },
    governedFields: { conversation: 'state', prompt: 'state' },
    toolModels: { image_generation: 'gpt-image-2' },
  }),
  perplexity: hosted('Perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY', {
    aliases: ['perplexityai'],
    embeddings: 'perplexity',
    defaultEmbeddingModel: 'pplx-embed-v1-0.6b',
    regions: US,
    passesOn: true,
    fieldRules: onlyMaxTokens('seed', 'stop', 'logprobs', 'top_logprobs', 'logit_bias', 'stream_options'),
    compat: { reasoning: 'refused', reasoningTag: 'think', alternates: true },
    choices: 'one',
  }),
  sambanova: hosted('SambaNova', 'https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY', {
    fieldRules: { drop: ['logprobs', 'top_logprobs', 'logit_bias', 'seed', ...PENALTIES] },
    choices: 'one',
  }),
  stepfun: hosted('StepFun', 'https://api.stepfun.com/v1', 'STEPFUN_API_KEY', { fieldRules: onlyMaxTokens() }),
  tencent: hosted('Tencent', 'https://tokenhub.tencentmaas.com/v1', 'TENCENT_API_KEY', {
    aliases: ['tencent-tokenhub'],
    fieldRules: onlyMaxTokens(),
  }),
  upstage: hosted('Upstage', 'https://api.upstage.ai/v1', 'UPSTAGE_API_KEY'),
  volcengine: hosted('ByteDance', 'https://ark.cn-beijing.volces.com/api/v3', 'ARK_API_KEY', {
    images: 'bytedance',
    aliases: ['bytedance', 'ark'],
    compat: { thinking: 'thinking' },
    taskAlias: 'bytedance',
    defaultImageModel: 'seedream-4-5-251128',
  }),
  // This address promises no region. us.api.x.ai does, at another price.
  xai: hosted('xAI', 'https://api.x.ai/v1', 'XAI_API_KEY', {
    aliases: ['x-ai'],
    conventionName: 'x_ai',
    images: 'xai',
    fieldRules: { drop: ['store'] },
    compat: { developer: true, nameless: true, endsWithoutReason: 'calls' },
    defaultImageModel: 'grok-imagine-image',
    governedFields: { search_parameters: 'unpriced' },
  }),
  xiaomi: hosted('Xiaomi', 'https://api.xiaomimimo.com/v1', 'XIAOMI_API_KEY', {
    aliases: ['mimo'],
    fieldRules: onlyMaxCompletionTokens(),
    compat: { thinking: 'thinking', reasoning: 'demanded' },
  }),
  zai: hosted('Z.ai', 'https://api.z.ai/api/paas/v4', 'ZAI_API_KEY', {
    aliases: ['z-ai'],
    fieldRules: onlyMaxTokens('store'),
    compat: { thinking: 'thinking', cacheMarks: true },
  }),
  zhipu: hosted('Zhipu AI', 'https://open.bigmodel.cn/api/paas/v4', 'ZHIPU_API_KEY', {
    aliases: ['zhipuai', 'bigmodel'],
    fieldRules: onlyMaxTokens('store'),
    compat: { thinking: 'thinking', cacheMarks: true },
  }),
}
