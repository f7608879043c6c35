// Fields that could choose something that the gateway has not checked: another model, host, payer or address. They are dropped
// with a note, at the top level of a body and in `extra_body`. Fields of single providers are in their rows (`governedFields`).
// docs/governed-fields.md is generated from both.

/** Why a field is dropped, in the words of the note. */
export const REASONS = {
  model: 'it would choose another model than the one that was checked and priced',
  host: 'it would choose who serves the model, and at which price',
  payer: 'it would choose the account that pays',
  address: 'it would choose the address of the request',
  state: "it names something in the operator's account, which all callers share",
  order: 'it would give this call priority over those of others',
  gateway: 'it is a setting of another gateway, which providers refuse',
  retention: "the data policy 'zero_retention' allows nothing to be kept",
} as const

type Reason = keyof typeof REASONS

/**
 * What happens to a field: it is dropped for a reason; it is dropped except for members that only restrict (by path, of a list
 * perhaps only the items with a value: `skills[type=anthropic]`); or it is `unpriced`: passed on, but the cost of the call is
 * unknown, because the catalog has no price for its effect.
 */
export type GovernedField = Reason | { why: Reason; keep: readonly string[] } | 'unpriced'

/** By field name; a name that ends in `*` is a prefix. */
export type GovernedFields = Readonly<Record<string, GovernedField>>

/** Never sent to any provider: LiteLLM and similar gateways accept these fields in place of their own settings. */
export const FOR_EVERY_PROVIDER: GovernedFields = {
  api_key: 'payer',
  apiKey: 'payer',
  api_base: 'address',
  apiBase: 'address',
  base_url: 'address',
  baseUrl: 'address',
  baseURL: 'address',
  api_version: 'address',
  apiVersion: 'address',
  'aws_*': 'payer',
  'azure_*': 'payer',
  'vertex_*': 'payer',
  'litellm_*': 'model',
  'mock_*': 'model',
  'input_cost_*': 'payer',
  'output_cost_*': 'payer',
  custom_llm_provider: 'host',
  user_config: 'model',
  organization: 'payer',
  organization_id: 'payer',
  org_id: 'payer',
  account_id: 'payer',
  accountId: 'payer',
  tenant_id: 'payer',
  workspace_id: 'payer',
  team_id: 'payer',
  bill_to: 'payer',
  'billing_*': 'payer',
  deployment: 'host',
  deployment_id: 'host',
  deployment_name: 'host',
  specific_deployment: 'host',
  region_name: 'host',
  num_retries: 'gateway',
  max_retries: 'gateway',
  retry_policy: 'gateway',
  retry_after: 'gateway',
  cooldown_time: 'gateway',
  timeout: 'gateway',
  request_timeout: 'gateway',
  stream_timeout: 'gateway',
  drop_params: 'gateway',
  additional_drop_params: 'gateway',
  allowed_openai_params: 'gateway',
  cache: 'gateway',
  caching: 'gateway',
  'no-log': 'gateway',
  context_window_fallback_dict: 'gateway',
  allowed_model_region: 'host',
}

/**
 * Fields that ask a provider to keep something of a call, each with the values that ask for nothing. They are dropped where the
 * data policy is `zero_retention`. Values that ask for nothing stay: some accounts keep everything unless a request says no.
 */
export const RETAINING_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  store: [false],
  background: [false],
  prompt_cache_retention: ['in_memory', 'in-memory'],
  prompt_cache_options: [],
}

/** For routers and servers of open models: a setting can point any chat provider to one of them. */
export const FOR_EVERY_CHAT_PROVIDER: GovernedFields = {
  models: 'model',
  model_id: 'model',
  modelId: 'model',
  model_name: 'model',
  modelName: 'model',
  model_list: 'model',
  model_info: 'model',
  base_model: 'model',
  route: 'model',
  router: 'model',
  router_settings: 'model',
  preset: 'model',
  plugins: 'model',
  context_window_fallbacks: 'model',
  content_policy_fallbacks: 'model',
  default_fallbacks: 'model',
  fallback_models: 'model',
  disable_fallbacks: 'model',
  prompt_id: 'model',
  llm_providers: 'host',
  requesty: 'host',
  'tensorzero::*': 'host',
  provider: 'host',
  providers: 'host',
  providerOptions: 'host',
  provider_options: 'host',
  draft_model: 'model',
  engine: 'model',
  fallback_model: 'model',
  target_model: 'model',
  speculative_model: 'model',
  provider_order: 'host',
  gateway: 'host',
  lora: 'model',
  lora_path: 'model',
  lora_request: 'model',
  adapter_id: 'model',
  'bootstrap_*': 'address',
  kv_transfer_params: 'address',
  data_parallel_rank: 'host',
  id_slot: 'state',
  // Anthropic's own skills are the same for all callers. Custom ones are in the operator's account.
  container: { why: 'state', keep: ['skills[type=anthropic]'] },
  priority: 'order',
}

/** Fields that some wire format uses for values that the gateway sets itself; another spelling would duplicate them. */
export const WIRE_FIELDS: readonly string[] = [
  ...['contents', 'systemInstruction', 'system_instruction', 'generationConfig', 'generation_config', 'toolConfig'],
  ...['inferenceConfig', 'additionalModelRequestFields', 'outputConfig', 'requestMetadata', 'documents', 'image'],
  ...[
    'num_images',
    'numberOfImages',
    'sampleCount',
    'num_outputs',
    'batch_size',
    'max_images',
    'instances',
    'parameters',
  ],
  ...['texts', 'inputText', 'output_dimension', 'embedding_types', 'file', 'mask', 'width', 'height'],
]
