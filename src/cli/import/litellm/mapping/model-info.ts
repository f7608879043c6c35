import type { Row } from './row.ts'

const KNOWN = 'the catalog says this; for a custom provider, see docs/settings.md'
const IGNORED = 'is of no use here'

/** `model_list[].model_info`. Its prices and sizes are as in litellm_params. */
export const MODEL_INFO: readonly Row[] = [
  ['id', 'approximate', 'deployments have no ids here; logs name the model and the credential'],
  ['mode', 'exact', 'the endpoint that is called decides'],
  ['base_model', 'exact', 'is the model of the target, with its price; the deployment keeps its name'],
  ['max_tokens', 'approximate', KNOWN],
  ['max_input_tokens', 'approximate', KNOWN],
  ['max_output_tokens', 'approximate', KNOWN],
  ['output_vector_size', 'approximate', KNOWN],
  ['input_cost_per_token', 'exact', 'is in `prices`, in USD per million tokens'],
  ['output_cost_per_token', 'exact', 'is in `prices`, in USD per million tokens'],
  ['cache_read_input_token_cost', 'exact', 'is in `prices`, in USD per million tokens'],
  ['cache_creation_input_token_cost', 'exact', 'is in `prices`, in USD per million tokens'],
  ['access_groups', 'exact', 'imported keys that name the group get a scope for each of its models'],
  ['team_id', 'manual', 'name the model in the policy of the project'],
  ['team_public_model_name', 'manual', 'make an alias; its name is the same for everybody'],
  ['supported_environments', 'manual', 'the model is there in every environment: delete it where it does not belong'],
  ['tier', 'manual', 'name the model in the policies of projects'],
  ['litellm_provider', 'approximate', KNOWN],
  ['description', 'approximate', IGNORED],
  ['metadata', 'approximate', IGNORED],
  ['version', 'approximate', IGNORED],
  ['db_model', 'approximate', IGNORED],
  ['created_at', 'approximate', IGNORED],
  ['updated_at', 'approximate', IGNORED],
  ['created_by', 'approximate', IGNORED],
  ['updated_by', 'approximate', IGNORED],
  ['health_check_model', 'approximate', 'unhealthy targets are found by their failures and probed before they return'],
  [
    'health_check_timeout',
    'approximate',
    'unhealthy targets are found by their failures and probed before they return',
  ],
  ['disable_background_health_check', 'exact', 'there are no health checks that cost anything'],
]

/** `supports_vision`, `supports_function_calling` … */
export const SUPPORTS: readonly [Row[1], Row[2]] = ['approximate', KNOWN]
