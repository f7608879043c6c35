import type { Row } from './row.ts'

const PASSED = 'is in `defaults` of the alias: a field of the request wins over it'
const AWS_VARIABLES = 'set the variable of the AWS SDKs (docs/credentials.md)'
const AZURE_IDENTITY = 'use an identity of Azure: AZURE_CLIENT_ID, AZURE_TENANT_ID … (docs/credentials.md)'
const NO_LIMIT = 'limits of models come with a later version; today the provider limits'
const PRICE = 'is in `prices`, in USD per million tokens'
const OTHER_PRICE = 'this kind of price cannot be set in the config file; the catalog has its own'

/** `model_list[].litellm_params`. */
export const MODEL_PARAMS: readonly Row[] = [
  ['model', 'exact', 'is a target of the alias'],
  ['model_id', 'approximate', 'is the name of the model at Amazon; elsewhere it is of no use'],
  ['custom_llm_provider', 'exact', 'is the provider of the target'],
  ['litellm_credential_name', 'exact', 'the values of that entry of credential_list count'],
  // Credentials and addresses.
  ['api_key', 'exact', 'is a credential of the provider'],
  ['api_base', 'exact', 'is the address of the target or of a provider of its own'],
  ['base_url', 'exact', 'is the address of the target or of a provider of its own'],
  ['api_version', 'exact', 'is `apiVersion` of the target'],
  ['region_name', 'exact', 'is `region` of the target'],
  ['organization', 'manual', 'an API key names its organization; for another one, send the header OpenAI-Organization'],
  ['aws_region_name', 'exact', 'is `region` of the target'],
  ['aws_access_key_id', 'exact', 'is a credential of amazon'],
  ['aws_secret_access_key', 'exact', 'is a credential of amazon'],
  ['aws_session_token', 'exact', 'is a credential of amazon'],
  ['aws_bedrock_runtime_endpoint', 'exact', 'is `baseUrl` of the target'],
  ['aws_role_name', 'manual', AWS_VARIABLES],
  ['aws_session_name', 'manual', AWS_VARIABLES],
  ['aws_profile_name', 'manual', AWS_VARIABLES],
  ['aws_web_identity_token', 'manual', AWS_VARIABLES],
  ['aws_sts_endpoint', 'manual', AWS_VARIABLES],
  ['aws_external_id', 'manual', AWS_VARIABLES],
  ['vertex_project', 'exact', 'is `project` of the target'],
  ['vertex_location', 'exact', 'is `region` of the target'],
  ['vertex_credentials', 'exact', 'is a credential of vertex'],
  ['vertex_ai_project', 'exact', 'is `project` of the target'],
  ['vertex_ai_location', 'exact', 'is `region` of the target'],
  ['vertex_ai_credentials', 'exact', 'is a credential of vertex'],
  ['azure_ad_token', 'manual', AZURE_IDENTITY],
  ['tenant_id', 'manual', AZURE_IDENTITY],
  ['client_id', 'manual', AZURE_IDENTITY],
  ['client_secret', 'manual', AZURE_IDENTITY],
  ['azure_scope', 'manual', AZURE_IDENTITY],
  ['watsonx_region_name', 'exact', 'is `region` of the target'],
  [
    'ssl_verify',
    'manual',
    'for a private authority, set NODE_EXTRA_CA_CERTS; checks of certificates cannot be turned off',
  ],
  // How it is called.
  ['weight', 'exact', 'is the weight of the target'],
  ['rpm', 'approximate', 'is the weight of the target if it has none; it is no limit'],
  ['tpm', 'approximate', 'is the weight of the target if it has neither weight nor rpm; it is no limit'],
  ['order', 'exact', 'targets of a higher order are fallbacks'],
  ['timeout', 'approximate', 'is `headersMs` and `idleMs` of the alias: for all of its targets'],
  ['stream_timeout', 'approximate', 'is `firstTokenMs` of the alias'],
  ['max_retries', 'approximate', 'is `retries` of the alias, 5 at most'],
  ['num_retries', 'approximate', 'is `retries` of the alias, 5 at most'],
  ['max_parallel_requests', 'manual', NO_LIMIT],
  ['max_budget', 'manual', NO_LIMIT],
  ['budget_duration', 'manual', NO_LIMIT],
  ['tags', 'unsupported', 'targets cannot be chosen by tags; make an alias for each tag'],
  ['fallbacks', 'unsupported', 'fallbacks belong to the alias: use router_settings.fallbacks'],
  ['drop_params', 'exact', 'is the default: fields that a model does not accept are dropped and noted'],
  ['additional_drop_params', 'manual', 'make a custom provider with `fieldRules.drop` (docs/settings.md)'],
  ['allowed_openai_params', 'approximate', 'fields that the gateway does not know are passed on'],
  ['modify_params', 'approximate', 'requests are adapted to each provider where that changes no meaning'],
  ['headers', 'exact', 'is `extra_headers` in `defaults` of the alias'],
  ['default_headers', 'exact', 'is `extra_headers` in `defaults` of the alias'],
  // Prices.
  ['input_cost_per_token', 'exact', PRICE],
  ['output_cost_per_token', 'exact', PRICE],
  ['cache_read_input_token_cost', 'exact', PRICE],
  ['cache_creation_input_token_cost', 'exact', PRICE],
  ['input_cost_per_second', 'manual', OTHER_PRICE],
  ['output_cost_per_second', 'manual', OTHER_PRICE],
  ['input_cost_per_character', 'manual', OTHER_PRICE],
  ['output_cost_per_character', 'manual', OTHER_PRICE],
  ['input_cost_per_pixel', 'manual', OTHER_PRICE],
  ['output_cost_per_pixel', 'manual', OTHER_PRICE],
  // What Gatehouse does not do.
  ['mock_response', 'unsupported', 'sandbox/echo answers without a provider'],
  ['use_in_pass_through', 'unsupported', 'there are no pass-through endpoints'],
  ['use_litellm_proxy', 'unsupported', 'Gatehouse calls providers itself'],
  ['merge_reasoning_content_in_choices', 'unsupported', 'reasoning stays in `reasoning_content`'],
  ['cache_control_injection_points', 'unsupported', 'callers mark what is to be cached'],
  ['configurable_clientside_auth_params', 'unsupported', 'callers cannot choose addresses or credentials'],
  ['guardrails', 'manual', 'make guardrails (docs/guardrails.md)'],
  ['auto_router_config_path', 'unsupported', 'the model @service chooses by price, speed and health'],
  ['auto_router_default_model', 'unsupported', 'the model @service chooses by price, speed and health'],
  ['auto_router_embedding_model', 'unsupported', 'the model @service chooses by price, speed and health'],
  ['stream', 'unsupported', 'the caller says whether an answer is streamed'],
  ['n', 'unsupported', 'the caller says how many answers it wants'],
  ['messages', 'unsupported', 'an alias has no messages'],
  ['prompt_id', 'unsupported', 'prompts are not managed'],
]

export const DEFAULT_FIELD: readonly [Row[1], Row[2]] = ['exact', PASSED]
